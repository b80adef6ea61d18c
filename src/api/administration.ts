import { z } from 'zod'

const apiKey = z.object({
  id: z.string(),
  /** `active`, `inactive` or `archived`; the API may add others. */
  status: z.string(),
  expires_at: z.string().nullable(),
})

const workspace = z.object({ id: z.string() })

/** An API key as administrators see it. The specification names only `status` and `expires_at`. */
export type ApiKeyRecord = z.infer<typeof apiKey> & { readonly [field: string]: unknown }

/** A workspace as administrators see it. */
export type WorkspaceRecord = z.infer<typeof workspace> & { readonly [field: string]: unknown }

/** Reads a key; unknown members stay. @throws {z.ZodError} */
export function parseApiKey(value: unknown): ApiKeyRecord {
  return apiKey.loose().parse(value)
}

/** Reads a workspace; unknown members stay. @throws {z.ZodError} */
export function parseWorkspace(value: unknown): WorkspaceRecord {
  return workspace.loose().parse(value)
}
