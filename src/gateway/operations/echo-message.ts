/** A message as the platform answers it. Our decision: the specification does not show it. */
export interface EchoMessage {
  readonly id: string
  readonly type: 'message'
  readonly role: 'assistant'
  readonly model: string
  readonly content: readonly { readonly type: 'text'; readonly text: string }[]
  readonly stop_reason: 'end_turn'
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number }
}
