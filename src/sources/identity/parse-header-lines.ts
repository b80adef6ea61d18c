import { validateHeaderName, validateHeaderValue } from 'node:http'
import { HelperError } from '../../runtime/failure.ts'
import { Secret } from '../../runtime/secret.ts'

/** A header of a request to an identity source; its value may be a secret. */
export type SecretHeader = readonly [name: string, value: Secret]

/**
 * Reads `Name: value` lines; empty lines are skipped.
 * @param location The file or variable that holds them, for the message.
 * @throws {HelperError} `not-configured` with the number of the line, and nothing of its text.
 */
export function parseHeaderLines(text: string, location: string): SecretHeader[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === '') return []
    const [, name = '', value = ''] = /^([^:]+):(.*)$/.exec(line) ?? []
    if (!isHeader(name.trim(), value.trim()))
      throw new HelperError(
        'not-configured',
        `line ${index + 1} of ${location} is not a header`,
        "write each header on a line of its own, as 'Name: value'",
      )
    return [[name.trim(), new Secret(value.trim())] as const]
  })
}

function isHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    return false // the error's message repeats the value
  }
}
