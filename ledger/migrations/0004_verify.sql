-- BLAKE3 in SQL, so that a database can tell by itself whether its rows bear the keys of their facts (I1), without
-- any of this package's code: `ledger verify --in-database`.

-- One compression: the chaining value `cv` of eight words, a block of up to 64 bytes, the counter of its chunk (below
-- 2^32), flags. Words are 32 bits, kept in bigint.
CREATE FUNCTION ledger.blake3_block(cv bigint[], block bytea, counter bigint, flags integer) RETURNS bigint[]
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    mask CONSTANT bigint := 4294967295;
    b    CONSTANT bytea := block || decode(repeat('00', 64 - octet_length(block)), 'hex');
    v0 bigint := cv[1]; v1 bigint := cv[2]; v2 bigint := cv[3]; v3 bigint := cv[4];
    v4 bigint := cv[5]; v5 bigint := cv[6]; v6 bigint := cv[7]; v7 bigint := cv[8];
    v8 bigint := 1779033703; v9 bigint := 3144134277; v10 bigint := 1013904242; v11 bigint := 2773480762;
    v12 bigint := counter; v13 bigint := 0; v14 bigint := octet_length(block); v15 bigint := flags;
    m0 bigint; m1 bigint; m2 bigint; m3 bigint; m4 bigint; m5 bigint; m6 bigint; m7 bigint;
    m8 bigint; m9 bigint; m10 bigint; m11 bigint; m12 bigint; m13 bigint; m14 bigint; m15 bigint;
    t bigint;
BEGIN
    m0 := get_byte(b, 0) + (get_byte(b, 1) << 8) + (get_byte(b, 2) << 16) + (get_byte(b, 3)::bigint << 24);
    m1 := get_byte(b, 4) + (get_byte(b, 5) << 8) + (get_byte(b, 6) << 16) + (get_byte(b, 7)::bigint << 24);
    m2 := get_byte(b, 8) + (get_byte(b, 9) << 8) + (get_byte(b, 10) << 16) + (get_byte(b, 11)::bigint << 24);
    m3 := get_byte(b, 12) + (get_byte(b, 13) << 8) + (get_byte(b, 14) << 16) + (get_byte(b, 15)::bigint << 24);
    m4 := get_byte(b, 16) + (get_byte(b, 17) << 8) + (get_byte(b, 18) << 16) + (get_byte(b, 19)::bigint << 24);
    m5 := get_byte(b, 20) + (get_byte(b, 21) << 8) + (get_byte(b, 22) << 16) + (get_byte(b, 23)::bigint << 24);
    m6 := get_byte(b, 24) + (get_byte(b, 25) << 8) + (get_byte(b, 26) << 16) + (get_byte(b, 27)::bigint << 24);
    m7 := get_byte(b, 28) + (get_byte(b, 29) << 8) + (get_byte(b, 30) << 16) + (get_byte(b, 31)::bigint << 24);
    m8 := get_byte(b, 32) + (get_byte(b, 33) << 8) + (get_byte(b, 34) << 16) + (get_byte(b, 35)::bigint << 24);
    m9 := get_byte(b, 36) + (get_byte(b, 37) << 8) + (get_byte(b, 38) << 16) + (get_byte(b, 39)::bigint << 24);
    m10 := get_byte(b, 40) + (get_byte(b, 41) << 8) + (get_byte(b, 42) << 16) + (get_byte(b, 43)::bigint << 24);
    m11 := get_byte(b, 44) + (get_byte(b, 45) << 8) + (get_byte(b, 46) << 16) + (get_byte(b, 47)::bigint << 24);
    m12 := get_byte(b, 48) + (get_byte(b, 49) << 8) + (get_byte(b, 50) << 16) + (get_byte(b, 51)::bigint << 24);
    m13 := get_byte(b, 52) + (get_byte(b, 53) << 8) + (get_byte(b, 54) << 16) + (get_byte(b, 55)::bigint << 24);
    m14 := get_byte(b, 56) + (get_byte(b, 57) << 8) + (get_byte(b, 58) << 16) + (get_byte(b, 59)::bigint << 24);
    m15 := get_byte(b, 60) + (get_byte(b, 61) << 8) + (get_byte(b, 62) << 16) + (get_byte(b, 63)::bigint << 24);
    FOR round IN 1..7 LOOP
        -- Columns, then diagonals; each mixes two words of the message in.
        v0 := (v0 + v4 + m0) & mask; v12 := v12 # v0; v12 := v12 >> 16 | (v12 << 16 & mask);
        v8 := (v8 + v12) & mask; v4 := v4 # v8; v4 := v4 >> 12 | (v4 << 20 & mask);
        v0 := (v0 + v4 + m1) & mask; v12 := v12 # v0; v12 := v12 >> 8 | (v12 << 24 & mask);
        v8 := (v8 + v12) & mask; v4 := v4 # v8; v4 := v4 >> 7 | (v4 << 25 & mask);
        v1 := (v1 + v5 + m2) & mask; v13 := v13 # v1; v13 := v13 >> 16 | (v13 << 16 & mask);
        v9 := (v9 + v13) & mask; v5 := v5 # v9; v5 := v5 >> 12 | (v5 << 20 & mask);
        v1 := (v1 + v5 + m3) & mask; v13 := v13 # v1; v13 := v13 >> 8 | (v13 << 24 & mask);
        v9 := (v9 + v13) & mask; v5 := v5 # v9; v5 := v5 >> 7 | (v5 << 25 & mask);
        v2 := (v2 + v6 + m4) & mask; v14 := v14 # v2; v14 := v14 >> 16 | (v14 << 16 & mask);
        v10 := (v10 + v14) & mask; v6 := v6 # v10; v6 := v6 >> 12 | (v6 << 20 & mask);
        v2 := (v2 + v6 + m5) & mask; v14 := v14 # v2; v14 := v14 >> 8 | (v14 << 24 & mask);
        v10 := (v10 + v14) & mask; v6 := v6 # v10; v6 := v6 >> 7 | (v6 << 25 & mask);
        v3 := (v3 + v7 + m6) & mask; v15 := v15 # v3; v15 := v15 >> 16 | (v15 << 16 & mask);
        v11 := (v11 + v15) & mask; v7 := v7 # v11; v7 := v7 >> 12 | (v7 << 20 & mask);
        v3 := (v3 + v7 + m7) & mask; v15 := v15 # v3; v15 := v15 >> 8 | (v15 << 24 & mask);
        v11 := (v11 + v15) & mask; v7 := v7 # v11; v7 := v7 >> 7 | (v7 << 25 & mask);
        v0 := (v0 + v5 + m8) & mask; v15 := v15 # v0; v15 := v15 >> 16 | (v15 << 16 & mask);
        v10 := (v10 + v15) & mask; v5 := v5 # v10; v5 := v5 >> 12 | (v5 << 20 & mask);
        v0 := (v0 + v5 + m9) & mask; v15 := v15 # v0; v15 := v15 >> 8 | (v15 << 24 & mask);
        v10 := (v10 + v15) & mask; v5 := v5 # v10; v5 := v5 >> 7 | (v5 << 25 & mask);
        v1 := (v1 + v6 + m10) & mask; v12 := v12 # v1; v12 := v12 >> 16 | (v12 << 16 & mask);
        v11 := (v11 + v12) & mask; v6 := v6 # v11; v6 := v6 >> 12 | (v6 << 20 & mask);
        v1 := (v1 + v6 + m11) & mask; v12 := v12 # v1; v12 := v12 >> 8 | (v12 << 24 & mask);
        v11 := (v11 + v12) & mask; v6 := v6 # v11; v6 := v6 >> 7 | (v6 << 25 & mask);
        v2 := (v2 + v7 + m12) & mask; v13 := v13 # v2; v13 := v13 >> 16 | (v13 << 16 & mask);
        v8 := (v8 + v13) & mask; v7 := v7 # v8; v7 := v7 >> 12 | (v7 << 20 & mask);
        v2 := (v2 + v7 + m13) & mask; v13 := v13 # v2; v13 := v13 >> 8 | (v13 << 24 & mask);
        v8 := (v8 + v13) & mask; v7 := v7 # v8; v7 := v7 >> 7 | (v7 << 25 & mask);
        v3 := (v3 + v4 + m14) & mask; v14 := v14 # v3; v14 := v14 >> 16 | (v14 << 16 & mask);
        v9 := (v9 + v14) & mask; v4 := v4 # v9; v4 := v4 >> 12 | (v4 << 20 & mask);
        v3 := (v3 + v4 + m15) & mask; v14 := v14 # v3; v14 := v14 >> 8 | (v14 << 24 & mask);
        v9 := (v9 + v14) & mask; v4 := v4 # v9; v4 := v4 >> 7 | (v4 << 25 & mask);
        -- The words of the message change places: two cycles of eight.
        t := m0; m0 := m2; m2 := m3; m3 := m10; m10 := m12; m12 := m9; m9 := m11; m11 := m5; m5 := t;
        t := m1; m1 := m6; m6 := m4; m4 := m7; m7 := m13; m13 := m14; m14 := m15; m15 := m8; m8 := t;
    END LOOP;
    RETURN ARRAY[v0 # v8, v1 # v9, v2 # v10, v3 # v11, v4 # v12, v5 # v13, v6 # v14, v7 # v15];
END $$;

-- Eight words as the 32 bytes that they stand for, each word from its low byte on.
CREATE FUNCTION ledger.blake3_bytes(words bigint[]) RETURNS bytea
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT decode(string_agg(lpad(to_hex(((w & 255) << 24) | ((w & 65280) << 8) | ((w >> 8) & 65280) | (w >> 24)), 8, '0'), ''
                             ORDER BY place), 'hex')
      FROM unnest(words) WITH ORDINALITY u (w, place);
$$;

-- The chaining value of a chunk of up to 1,024 bytes, under the key words of this use; a whole text of one chunk is
-- its own root.
CREATE FUNCTION ledger.blake3_chunk(key bigint[], chunk bytea, counter bigint, root boolean) RETURNS bigint[]
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    cv   bigint[] := key;
    last CONSTANT integer := greatest(0, (octet_length(chunk) - 1) / 64);
BEGIN
    FOR n IN 0..last LOOP
        -- 64: key material; 1: the chunk's start; 2: its end; 8: the root.
        cv := ledger.blake3_block(cv, substr(chunk, 64 * n + 1, 64), counter,
                                  64 | CASE n WHEN 0 THEN 1 ELSE 0 END
                                     | CASE WHEN n < last THEN 0 WHEN root THEN 10 ELSE 2 END);
    END LOOP;
    RETURN cv;
END $$;

-- The fingerprint of an occurrence, from its facts. Facts make a preimage of two chunks at most.
CREATE FUNCTION ledger.fingerprint_of(tenant text, delivery text, wake text, agent text, destination text, task text,
                                      digest bytea, due timestamptz) RETURNS bytea
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    -- What BLAKE3 makes of the context `occurrence-ledger 2026-11-30 occurrence key v1`.
    key      CONSTANT bigint[] := '{260011645,1718099545,343189983,4025279007,3519617649,2573704458,3055212973,1829846891}';
    preimage CONSTANT bytea := convert_to('["occurrence/1","' || concat_ws('","', tenant, delivery, wake, agent,
        destination, task, encode(digest, 'hex'),
        to_char(due AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) || '"]', 'UTF8');
BEGIN
    IF octet_length(preimage) <= 1024 THEN
        RETURN ledger.blake3_bytes(ledger.blake3_chunk(key, preimage, 0, true));
    ELSIF octet_length(preimage) > 2048 THEN
        RETURN NULL;  -- No facts are as long as that.
    END IF;
    RETURN ledger.blake3_bytes(ledger.blake3_block(key,
        ledger.blake3_bytes(ledger.blake3_chunk(key, substr(preimage, 1, 1024), 0, false))
        || ledger.blake3_bytes(ledger.blake3_chunk(key, substr(preimage, 1025), 1, false)), 0, 64 | 4 | 8));
END $$;

-- The key that a fingerprint makes with its due: six bytes of milliseconds, then ten of the fingerprint, in two of
-- which the version and the variant of the UUID stand.
CREATE FUNCTION ledger.key_of(fingerprint bytea, due timestamptz) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN due >= '1970-01-01T00:00:00Z' AND due < '10000-01-01T00:00:00Z' THEN
           encode(decode(lpad(to_hex(floor(extract(epoch FROM due) * 1000)::bigint), 12, '0'), 'hex')
                  || set_byte(set_byte(substr(fingerprint, 1, 10), 0, 128 | (get_byte(fingerprint, 0) & 15)),
                              2, 128 | (get_byte(fingerprint, 2) & 63)), 'hex')::uuid END;
$$;
