import * as z from 'zod/mini' // it is bundled as far as it is used, because a helper reads keys too

/** An API key as administrators see it. The specification names only `status` and `expires_at`. */
export interface ApiKeyRecord {
  readonly id: string
  /** `active`, `inactive` or `archived`; the API may add others. */
  readonly status: string
  readonly expires_at: string | null
  readonly [field: string]: unknown
}

/** A workspace as administrators see it. */
export interface WorkspaceRecord {
  readonly id: string
  readonly [field: string]: unknown
}

const apiKey = z.looseObject({ id: z.string(), status: z.string(), expires_at: z.nullable(z.string()) })

const workspace = z.looseObject({ id: z.string() })

/** Parses a key; unknown members stay. @throws {z.ZodError} */
export function parseApiKey(value: unknown): ApiKeyRecord {
  return apiKey.parse(value)
}

/** Parses a workspace; unknown members stay. @throws {z.ZodError} */
export function parseWorkspace(value: unknown): WorkspaceRecord {
  return workspace.parse(value)
}
