-- Agents that are gone: the sweep deletes their tasks, by an act in its own name; whoever asks for a task of theirs again
-- takes the note back. It can delete no other task, nor act otherwise.
GRANT DELETE ON ledger.gone_agent TO ledger_tenant;
GRANT DELETE ON ledger.task, ledger.hint TO ledger_sweeper;
CREATE POLICY gone ON ledger.task FOR DELETE TO ledger_sweeper
    USING (EXISTS (SELECT FROM ledger.gone_agent g WHERE g.tenant = task.tenant AND g.agent = task.agent));
CREATE POLICY gone ON ledger.hint FOR DELETE TO ledger_sweeper
    USING (NOT EXISTS (SELECT FROM ledger.task t WHERE t.tenant = hint.tenant AND t.task = hint.task));
CREATE POLICY add_deletes ON ledger.act FOR INSERT TO ledger_sweeper WITH CHECK (what = 'delete' AND NOT enabled);
