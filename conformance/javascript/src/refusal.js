// What a refusal is, in its two stages: a form finds that a value does not fit (`Misfit`), and
// whoever knows the value's name turns that into the refusal that a caller sees (`Refusal`).

/** A value does not fit its form. It has a code and no name yet; it never leaves the package. */
export class Misfit extends Error {
  constructor(code, message = code) {
    super(message);
    this.code = code;
  }
}

/** The answer to input that does not fit: the code, and the fact or the path of the member at fault. */
export class Refusal extends Error {
  constructor(code, fact, message = `${JSON.stringify(fact)} is refused: ${code}`) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
    this.fact = fact;
  }
}
