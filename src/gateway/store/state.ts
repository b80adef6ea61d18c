// Folder: the stand-in's state in SQLite: workspaces, sessions and resources.

import { randomBytes } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { DatabaseSync, type StatementResultingChanges, type StatementSync } from 'node:sqlite'
import { quoteForHint } from '../../runtime/text/quote.ts'
import { programName } from '../../version.ts'
import { createIdentifiers, type IdKind } from './identifiers.ts'

/** The state of the platform, with its clock and its source of identifiers. */
export interface State extends Database {
  /** The database; `undefined` for a state in memory. */
  readonly file: string | undefined
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly createId: (kind: IdKind) => string
  readonly organizationId: string
  /** The key that signs the cursors of lists, so that a caller cannot make up a cursor. */
  readonly cursorKey: string
}

/** Opens a state; a new state contains an organization and its Default Workspace. */
export function openState({ file, now }: StateSettings): State {
  const database = openDatabase(file)
  const createId = createIdentifiers(now)
  const { sql } = database
  return database.transact(() => {
    const organizationId = ensureSetting(database, 'organization', () => createId('organization'))
    const cursorKey = ensureSetting(database, 'cursor-key', () => randomBytes(32).toString('hex'))
    if (!sql.get`SELECT 1 FROM workspaces WHERE is_default = 1`)
      createWorkspaceRow({ sql, now }, createId('workspace'), { name: 'Default', isDefault: 1 })
    return { ...database, file, now, createId, organizationId, cursorKey }
  })
}

interface StateSettings {
  /** The database; if absent, the state is in memory and ends with the process. */
  readonly file?: string
  readonly now: () => number
}

/** Renders a command on this state, for a hint. @param words The words between `gatepass gateway` and the option of the database. */
export function renderStateCommand({ file }: State, words: string): string {
  return `${programName} gateway ${words} --db ${file === undefined ? 'FILE' : quoteForHint(file)}`
}

/** Finds a setting of the organization; `undefined` if it is not set. */
export function findSetting({ sql }: Database, name: string): string | undefined {
  const row = sql.get`SELECT value FROM settings WHERE name = ${name}`
  return row && String(row.value)
}

/** Sets a setting, or removes it with `undefined`. */
export function writeSetting({ sql }: Database, name: string, value: string | undefined): void {
  if (value === undefined) sql.run`DELETE FROM settings WHERE name = ${name}`
  else sql.run`INSERT INTO settings VALUES (${name}, ${value}) ON CONFLICT DO UPDATE SET value = excluded.value`
}

/**
 * Opens the file, which is created with access for its owner only, or a database in memory.
 * @throws {Error} with a `code` for a file that is not a state of this version.
 */
function openDatabase(file: string | undefined): Database {
  if (file !== undefined) closeSync(openSync(file, 'a', 0o600))
  const database = new DatabaseSync(file ?? ':memory:')
  database.exec('PRAGMA busy_timeout = 5000') // the option of the constructor needs Node 22.16
  let changes = 0
  const sql = createSql(database, () => {
    changes += 1
  })
  refuseOtherVersion(database, sql)
  // With a write-ahead log, a second process such as `gatepass gateway keys` can write while the gateway reads.
  database.exec('PRAGMA journal_mode = WAL')
  database.exec(schema)
  const countForeignChanges = createForeignCount(sql, file)
  return {
    sql,
    transact: (work) => runInTransaction(database, work),
    countChanges: () => changes + countForeignChanges(),
    close: () => database.close(),
  }
}

function ensureSetting(database: Database, name: string, create: () => string): string {
  const found = findSetting(database, name)
  if (found !== undefined) return found
  const created = create()
  writeSetting(database, name, created)
  return created
}

interface Database {
  readonly sql: Sql
  /** Runs `work` in a transaction, so that no other process writes meanwhile; an error rolls back every change. */
  transact<T>(work: () => T): T
  /** A number that increases with every change, also by another process. */
  countChanges(): number
  close(): void
}

/** A row of a table, by the names of its columns. */
export type Row = Readonly<Record<string, Value>>

type Value = null | number | bigint | string | Uint8Array

type Statement<T> = (parts: TemplateStringsArray, ...values: readonly Value[]) => T

/**
 * Creates the templates of one database, each prepared once. `onChange` is called after each statement that may change rows. Node's own tag
 * store does the same, but needs Node 24.9.
 */
function createSql(database: DatabaseSync, onChange: () => void): Sql {
  const prepared = new Map<TemplateStringsArray, StatementSync>()
  const prepare = (parts: TemplateStringsArray) => {
    const statement = prepared.get(parts) ?? database.prepare(parts.join('?'))
    prepared.set(parts, statement)
    return statement
  }
  // The types of `node:sqlite` do not describe rows.
  return {
    run: (parts, ...values) => {
      onChange()
      return prepare(parts).run(...values)
    },
    get: (parts, ...values) => prepare(parts).get(...values) as Row | undefined,
    all: (parts, ...values) => prepare(parts).all(...values) as Row[],
  }
}

/** Refuses the database of another program, or of another version of the schema, which must not be changed. */
function refuseOtherVersion(database: DatabaseSync, sql: Sql): void {
  const { tables } = sql.get`SELECT count(*) AS tables FROM sqlite_schema`!
  const { user_version } = sql.get`PRAGMA user_version`!
  if (tables === 0 || user_version === schemaVersion) return
  database.close()
  throw Object.assign(new Error('the database is not a state of this version'), { code: 'not of this version' })
}

/** Counts the changes of the file by other processes. A database in memory has no other process. */
function createForeignCount(sql: Sql, file: string | undefined): () => number {
  if (file === undefined) return () => 0
  const readVersion = () => sql.get`PRAGMA data_version`!.data_version
  let [seen, count] = [readVersion(), 0]
  return () => {
    const version = readVersion()
    if (version !== seen) count += 1
    seen = version
    return count
  }
}

function runInTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (thrown) {
    database.exec('ROLLBACK')
    throw thrown
  }
}

/** Increased with every change of the schema. */
const schemaVersion = 1_002

/** Times are epoch milliseconds. Secrets are stored as digests only. */
const schema = `
PRAGMA user_version = ${schemaVersion};
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS workspaces (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, is_default INTEGER NOT NULL,
  created_at INTEGER NOT NULL, archived_at INTEGER) STRICT;
CREATE TABLE IF NOT EXISTS identities (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL CHECK (kind IN ('user', 'service_account')), name TEXT NOT NULL,
  standing TEXT NOT NULL CHECK (standing IN ('present', 'gone'))) STRICT;
CREATE TABLE IF NOT EXISTS members (
  identity_id TEXT NOT NULL REFERENCES identities (id), workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  PRIMARY KEY (identity_id, workspace_id)) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS api_keys (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, digest TEXT NOT NULL UNIQUE, hint TEXT NOT NULL, name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('personal', 'service_account', 'workspace', 'administrative')),
  owner_id TEXT REFERENCES identities (id), workspace_id TEXT REFERENCES workspaces (id),
  status TEXT NOT NULL CHECK (status IN ('active', 'inactive', 'archived')),
  created_at INTEGER NOT NULL, expires_at INTEGER) STRICT;
CREATE TABLE IF NOT EXISTS access_tokens (
  digest TEXT PRIMARY KEY, method TEXT NOT NULL CHECK (method IN ('federation', 'attestation')),
  owner_id TEXT REFERENCES identities (id), workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  expires_at INTEGER NOT NULL, revoked_at INTEGER) STRICT;
CREATE TABLE IF NOT EXISTS files (id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL REFERENCES workspaces (id)) STRICT;
CREATE TABLE IF NOT EXISTS sessions (id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL REFERENCES workspaces (id)) STRICT;
CREATE TABLE IF NOT EXISTS resources (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, session_id TEXT NOT NULL REFERENCES sessions (id),
  type TEXT NOT NULL CHECK (type IN ('file', 'git_repository', 'memory_store')),
  created_at INTEGER NOT NULL, json TEXT NOT NULL, token_digest TEXT) STRICT;
CREATE INDEX IF NOT EXISTS resources_of_session ON resources (session_id, seq);
CREATE TABLE IF NOT EXISTS events (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, session_id TEXT NOT NULL REFERENCES sessions (id),
  type TEXT NOT NULL, content TEXT NOT NULL, processed_at INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS issuers (id TEXT PRIMARY KEY, issuer TEXT NOT NULL, jwks_url TEXT, jwks TEXT) STRICT;
CREATE TABLE IF NOT EXISTS rules (
  id TEXT PRIMARY KEY, issuer_id TEXT NOT NULL REFERENCES issuers (id),
  service_account_id TEXT NOT NULL REFERENCES identities (id), workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  conditions TEXT NOT NULL, life_sec INTEGER NOT NULL,
  identity_reuse TEXT NOT NULL CHECK (identity_reuse IN ('never', 'allowed'))) STRICT;
CREATE TABLE IF NOT EXISTS used_assertions (
  issuer_id TEXT NOT NULL, jti TEXT NOT NULL, expires_at INTEGER NOT NULL,
  PRIMARY KEY (issuer_id, jti)) STRICT, WITHOUT ROWID;
`

/** SQL statements as tagged templates: values are bound as parameters, and never become part of the SQL text. */
interface Sql {
  /** Changes rows, and returns their number. */
  readonly run: Statement<StatementResultingChanges>
  /** Returns the first row, or `undefined`. */
  readonly get: Statement<Row | undefined>
  readonly all: Statement<Row[]>
}

/** Adds a workspace. SQLite has 0 and 1 for booleans. */
export function createWorkspaceRow(
  { sql, now }: Pick<State, 'sql' | 'now'>,
  id: string,
  { name, isDefault }: { readonly name: string; readonly isDefault: 0 | 1 },
): void {
  sql.run`INSERT INTO workspaces (id, name, is_default, created_at) VALUES (${id}, ${name}, ${isDefault}, ${now()})`
}
