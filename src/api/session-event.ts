import { z } from 'zod'

/** `text` is the only kind of block in use. */
const contentBlock = z.looseObject({ type: z.string(), text: z.string().optional() })

const event = z.object({
  id: z.string(),
  /** `user.message` is the only kind in use. */
  type: z.string(),
  content: z.array(contentBlock),
  processed_at: z.string(),
})

/** An event of a session, as the API returns it. */
export type SessionEvent = z.infer<typeof event>

/** An event to send. */
export interface NewSessionEvent {
  readonly type: 'user.message'
  readonly content: readonly { readonly type: 'text'; readonly text: string }[]
}

/** Reads the answer of "Send events". @throws {z.ZodError} */
export function parseSentEvents(value: unknown): readonly SessionEvent[] {
  return z.looseObject({ data: z.array(event.loose()) }).parse(value).data
}
