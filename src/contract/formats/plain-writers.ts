import { headersWriter } from './headers.ts'
import { jsonWriter } from './json.ts'
import type { OutputFormat } from './output-format.ts'
import type { OutputWriter } from './output-writer.ts'
import { tokenWriter } from './token.ts'

/** Formats for which nobody sends a request. The others are loaded on use, because most calls print one of these. */
export const plainWriters: Partial<Readonly<Record<OutputFormat, OutputWriter>>> = {
  json: jsonWriter,
  token: tokenWriter,
  headers: headersWriter,
}
