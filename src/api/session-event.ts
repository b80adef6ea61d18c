import * as z from 'zod/mini'

/** An event of a session, as the API returns it. */
export interface SessionEvent {
  readonly id: string
  /** `user.message` is the only kind in use. */
  readonly type: string
  readonly content: readonly ContentBlock[]
  readonly processed_at: string
}

/** An event that a caller adds to a session. The API takes further types and contents; only a text of the person is sent from here. */
export interface NewSessionEvent {
  readonly type: 'user.message'
  readonly content: readonly { readonly type: 'text'; readonly text: string }[]
}

const contentBlock = z.looseObject({ type: z.string(), text: z.optional(z.string()) })

const event = z.looseObject({
  id: z.string(),
  type: z.string(),
  content: z.array(contentBlock),
  processed_at: z.string(),
})

/** Parses the answer of "Send events". @throws {z.ZodError} */
export function parseSentEvents(value: unknown): readonly SessionEvent[] {
  return z.looseObject({ data: z.array(event) }).parse(value).data
}

/** A request for a message. `user` is the only role in use. */
export interface MessageRequest {
  readonly model: string
  readonly max_tokens: number
  readonly messages: readonly { readonly role: string; readonly content: string }[]
}

/** A part of a message or an event. `text` is the only kind in use. */
export interface ContentBlock {
  readonly type: string
  readonly text?: string | undefined
  readonly [field: string]: unknown
}

/** A message that the model answered. The specification does not show the answer, so every member is optional. */
export interface Message {
  readonly content?: readonly ContentBlock[] | undefined
  readonly [field: string]: unknown
}

const message = z.looseObject({ content: z.optional(z.array(contentBlock)) })

/** Parses a message; unknown members stay. @throws {z.ZodError} */
export function parseMessage(value: unknown): Message {
  return message.parse(value)
}
