import * as z from 'zod'
import { policyShape } from './shape.ts'

/** A JSON Schema (2020-12) of the form, for editors: misspelled keys and wrong types are errors there. */
export function renderPolicySchema(): Readonly<Record<string, unknown>> {
  const { $schema, ...schema } = z.toJSONSchema(policyShape, { io: 'input' })
  return { $schema, title: 'What a verifier lets pass', ...schema }
}
