import { z } from 'zod'

/** `user` is the only role in use. */
export interface MessageRequest {
  readonly model: string
  readonly max_tokens: number
  readonly messages: readonly { readonly role: string; readonly content: string }[]
}

const block = z.looseObject({ type: z.string(), text: z.string().optional() })

/** The documents do not show the answer: what is not there is not missed. */
const message = z.object({ content: z.array(block).optional() })

export type Message = z.infer<typeof message> & { readonly [field: string]: unknown }

/** @throws {z.ZodError} */
export function parseMessage(value: unknown): Message {
  return message.loose().parse(value)
}
