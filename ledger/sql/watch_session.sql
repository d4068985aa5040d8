-- Lets the server notice within seconds that the client of this session has gone, and never end it for being idle.
-- No parameters. One row. Sockets of the same machine ignore the first three.
SELECT set_config('tcp_keepalives_idle', '5', false) AS idle, set_config('tcp_keepalives_interval', '2', false) AS every,
       set_config('tcp_keepalives_count', '3', false) AS times, set_config('idle_session_timeout', '0', false) AS session
