-- A person may end the presence of a process that hangs: others then take it for gone, whatever its lock says.
ALTER TABLE ledger.incarnation
    ADD COLUMN expelled     timestamptz,
    ADD COLUMN expelled_by  text COLLATE "C",
    ADD COLUMN expelled_why text,
    ADD CONSTRAINT incarnation_expelled CHECK (
        (expelled IS NULL) = (expelled_by IS NULL) AND (expelled IS NULL) = (expelled_why IS NULL));
COMMENT ON COLUMN ledger.incarnation.expelled IS
    'When a person ended its presence: it starts nothing from then on, and its runs are lost.';
