import { z } from 'zod'
import { dropWriteOnly } from './write-only.ts'

const file = z.object({
  type: z.literal('file'),
  id: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  file_id: z.string(),
  mount_path: z.string(),
})

const gitRepository = z.object({
  type: z.literal('git_repository'),
  id: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  mount_path: z.string(),
  url: z.string(),
  /** `branch` is the only `type` in use. */
  checkout: z.looseObject({ name: z.string(), type: z.string() }),
})

/** The specification names these members without their types. */
const memoryStore = z.object({ type: z.literal('memory_store'), memory_store_id: z.unknown(), access: z.unknown() })

/** A file in a session. */
export type FileResource = z.infer<typeof file>
/** A Git repository in a session. */
export type GitRepositoryResource = z.infer<typeof gitRepository>
/** A resource of a kind that the specification describes. */
export type KnownResource = FileResource | GitRepositoryResource | z.infer<typeof memoryStore>

/** A resource of another kind, unchanged. */
interface UnknownResource {
  readonly type: string
  readonly [field: string]: unknown
}

/** A resource of any kind. */
export type SessionResource = KnownResource | UnknownResource

const kinds: Readonly<Record<string, z.ZodType<KnownResource>>> = {
  file: file.loose(),
  git_repository: gitRepository.loose(),
  memory_store: memoryStore.loose(),
}

/**
 * Reads a resource. The members of a known kind are checked, and other members stay. Write-only members are dropped in case a
 * server returns them.
 * @throws {z.ZodError}
 */
export function parseSessionResource(value: unknown): SessionResource {
  const fields = z.looseObject({ type: z.string() }).parse(dropWriteOnly(value))
  const shape = Object.hasOwn(kinds, fields.type) ? kinds[fields.type] : undefined
  return shape ? shape.parse(fields) : fields
}

/** Whether a resource is of a kind that the specification describes, so that its `type` tells the compiler its members. */
export function isKnownResource(resource: SessionResource): resource is KnownResource {
  return Object.hasOwn(kinds, resource.type)
}

/** Reads a file. @throws {z.ZodError} for a resource of another kind. */
export function parseFileResource(value: unknown): FileResource {
  return file.loose().parse(dropWriteOnly(value))
}
