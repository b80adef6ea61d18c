import { expect, test } from 'vitest'
import { type FailureKind, HelperError } from '../../../src/runtime/failure.ts'
import { parseIdentityAnswer } from '../../../src/sources/identity/parse-identity-answer.ts'

const format = { name: 'id.example', hint: 'look' }

test.each<[text: string, field: string | undefined, token: string]>([
  ['a.b.c', undefined, 'a.b.c'],
  ['\uFEFF  a.b.c\r\n', undefined, 'a.b.c'],
  ['{"id_token":"a.b.c"}', 'id_token', 'a.b.c'],
  [' {"a":{},"id_token":"a.b.c"} ', 'id_token', 'a.b.c'],
])('%j with the field %s is a token', (text, field, token) => {
  expect(parseIdentityAnswer(text, { ...format, field })).toBe(token)
})

const noField = 'id.example answered without a JSON object that has a string "id_token"'

test.each<[text: string, field: string | undefined, kind: FailureKind, message: string, hint?: string]>([
  ['', undefined, 'refused', 'id.example answered with nothing'],
  [' \n', undefined, 'refused', 'id.example answered with nothing'],
  [
    '{"id_token":"canary"}',
    undefined,
    'not-configured',
    'id.example answered with JSON, and no setting says which member is the identity token',
    'name the member with --identity-field',
  ],
  ['canary', 'id_token', 'refused', noField],
  ['{"id_token":""}', 'id_token', 'refused', noField],
  ['{"id_token":7}', 'id_token', 'refused', noField],
  ['{"token":"canary"}', 'id_token', 'refused', noField],
  ['null', 'id_token', 'refused', noField],
  ['{"id_token":"canary', 'id_token', 'refused', noField],
])('%j with the field %s is refused without being repeated', (text, field, kind, message, hint = format.hint) => {
  const attempt = () => parseIdentityAnswer(text, { ...format, field })
  expect(attempt).toThrow(new HelperError(kind, message, hint))
})
