import { z } from 'zod'

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

const block = z.looseObject({ type: z.string(), text: z.string().optional() })

const message = z.looseObject({ content: z.array(block).optional() })

/** Reads a message; unknown members stay. @throws {z.ZodError} */
export function parseMessage(value: unknown): Message {
  return message.parse(value)
}
