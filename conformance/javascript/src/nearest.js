// "Did you mean": the nearest of some names, for the messages of refusals. Messages are not compared.

const MOST = 64; // longer texts are no misspelling of a name, and would cost time

function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const swap = row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, row[j] + 1, next[j - 1] + 1));
    }
    row = next;
  }
  return row[b.length];
}

/** The name that takes the fewest changes from `text`; the first of equals. */
export function nearest(text, names) {
  const wanted = text.slice(0, MOST).toLowerCase();
  let best = names[0];
  let fewest = Infinity;
  for (const name of names) {
    const changes = distance(wanted, name.toLowerCase());
    if (changes < fewest) [best, fewest] = [name, changes];
  }
  return best;
}
