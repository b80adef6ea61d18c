import { isHeaderName, isSendableValue } from '../../contract/headers.ts'
import { HelperError } from '../../runtime/failure.ts'
import { Secret, type SecretHeader } from '../../runtime/secret.ts'

/**
 * Reads `Name: value` lines; empty lines are skipped.
 * @param location The file or variable that holds them, for the message.
 * @throws {HelperError} `not-configured` with the number of the line, but without its text.
 */
export function parseHeaderLines(text: string, location: string): SecretHeader[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === '') return []
    const [, name = '', value = ''] = /^([^:]+):(.*)$/.exec(line) ?? []
    if (!isHeaderName(name.trim()) || !isSendableValue(value.trim()))
      throw new HelperError(
        'not-configured',
        `line ${index + 1} of ${location} is not a header`,
        "write each header on a line of its own, as 'Name: value'",
      )
    return [[name.trim(), new Secret(value.trim())] as const]
  })
}
