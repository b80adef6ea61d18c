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

/** The documents name these two and four more, and no types. */
const memoryStore = z.object({ type: z.literal('memory_store'), memory_store_id: z.unknown(), access: z.unknown() })

export type FileResource = z.infer<typeof file>
export type GitRepositoryResource = z.infer<typeof gitRepository>
export type MemoryStoreResource = z.infer<typeof memoryStore>
export type KnownResource = FileResource | GitRepositoryResource | MemoryStoreResource

/** A kind that did not exist when this was written: kept as it came. */
export interface UnknownResource {
  readonly type: string
  readonly [field: string]: unknown
}

export type SessionResource = KnownResource | UnknownResource

const kinds: Readonly<Record<string, z.ZodType<KnownResource>>> = {
  file: file.loose(),
  git_repository: gitRepository.loose(),
  memory_store: memoryStore.loose(),
}

/**
 * Reads a resource: of a known kind its fields are checked, everything else is kept. What is write-only is taken out,
 * should a server ever return it.
 * @throws {z.ZodError}
 */
export function parseSessionResource(value: unknown): SessionResource {
  const fields = z.looseObject({ type: z.string() }).parse(dropWriteOnly(value))
  const shape = Object.hasOwn(kinds, fields.type) ? kinds[fields.type] : undefined
  return shape ? shape.parse(fields) : fields
}

/** Tells the kinds of the document, by whose `type` the compiler then knows the fields, from those that came later. */
export function isKnownResource(resource: SessionResource): resource is KnownResource {
  return Object.hasOwn(kinds, resource.type)
}

/** @throws {z.ZodError} for anything but a file. */
export function parseFileResource(value: unknown): FileResource {
  return file.loose().parse(dropWriteOnly(value))
}
