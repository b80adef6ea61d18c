import * as z from 'zod/mini'

/** A file that was uploaded before, and is mounted into the container of a session. */
export type FileResource = MountedResource & {
  readonly type: 'file'
  readonly file_id: string
}

/** A Git repository in a session. */
export type GitRepositoryResource = MountedResource & {
  readonly type: 'git_repository'
  readonly url: string
  /** `branch` is the only `type` in use. */
  readonly checkout: { readonly name: string; readonly type: string; readonly [field: string]: unknown }
}

/** A memory store in a session. The specification names these members without their types. */
export type MemoryStoreResource = {
  readonly type: 'memory_store'
  readonly memory_store_id: unknown
  readonly access: unknown
}

/** A resource of a kind that the specification describes. */
export type KnownResource = FileResource | GitRepositoryResource | MemoryStoreResource

/** A resource that is mounted into the container of a session, also of a kind that a later version of the API adds. */
export type SessionResource = KnownResource | UnknownResource

const mounted = { id: z.string(), created_at: z.string(), updated_at: z.string(), mount_path: z.string() }

const file = z.looseObject({ type: z.literal('file'), ...mounted, file_id: z.string() })

const gitRepository = z.looseObject({
  type: z.literal('git_repository'),
  ...mounted,
  url: z.string(),
  checkout: z.looseObject({ name: z.string(), type: z.string() }),
})

const memoryStore = z.looseObject({
  type: z.literal('memory_store'),
  memory_store_id: z.unknown(),
  access: z.unknown(),
})

const kinds: Readonly<Record<string, z.ZodMiniType<KnownResource>>> = {
  file,
  git_repository: gitRepository,
  memory_store: memoryStore,
}

/**
 * Parses a resource. The members of a known kind are checked, and other members stay. Write-only members are dropped in case a
 * server returns them.
 * @throws {z.ZodError}
 */
export function parseSessionResource(value: unknown): SessionResource {
  const fields = z.looseObject({ type: z.string() }).parse(dropWriteOnly(value))
  const shape = Object.hasOwn(kinds, fields.type) ? kinds[fields.type] : undefined
  return shape ? shape.parse(fields) : fields
}

type MountedResource = {
  readonly id: string
  readonly created_at: string
  readonly updated_at: string
  readonly mount_path: string
}

/** A resource of another kind, unchanged. */
interface UnknownResource {
  readonly type: string
  readonly [field: string]: unknown
}

/** Returns whether a resource is of a kind that the specification describes, so that its `type` tells the compiler its members. */
export function isKnownResource(resource: SessionResource): resource is KnownResource {
  return Object.hasOwn(kinds, resource.type)
}

/** Parses a file. @throws {z.ZodError} for a resource of another kind. */
export function parseFileResource(value: unknown): FileResource {
  return file.parse(dropWriteOnly(value))
}

/** Drops write-only members at any depth, in case a server returns them. */
export function dropWriteOnly(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropWriteOnly)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([name]) => !writeOnly.has(name))
  return Object.fromEntries(kept.map(([name, member]) => [name, dropWriteOnly(member)]))
}

/** Members that the API accepts and never returns. Specification. */
const writeOnly: ReadonlySet<string> = new Set(['authorization_token'])
