import { z } from 'zod'

/** A request for a message. `user` is the only role in use. */
export interface MessageRequest {
  readonly model: string
  readonly max_tokens: number
  readonly messages: readonly { readonly role: string; readonly content: string }[]
}

const block = z.looseObject({ type: z.string(), text: z.string().optional() })

/** The specification does not show the answer, so every member is optional. */
const message = z.object({ content: z.array(block).optional() })

/** A message that the model answered. */
export type Message = z.infer<typeof message> & { readonly [field: string]: unknown }

/** Reads a message; unknown members stay. @throws {z.ZodError} */
export function parseMessage(value: unknown): Message {
  return message.loose().parse(value)
}
