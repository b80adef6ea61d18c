import { HelperError } from '../../../runtime/failure.ts'
import type { AwsLine } from './parse-lines.ts'

/**
 * Refuses a file that the AWS CLI refuses: the SDK's parser skips lines that it does not understand, and takes the last of two
 * settings, so that the user would not learn that one of them is ignored.
 * @throws {HelperError} `not-configured`, naming the file and the line.
 */
export function refuseMalformed(path: string, text: string, lines: readonly AwsLine[]): void {
  refuseOtherEncodings(path, text)
  const seen = new Map<string, AwsLine>()
  for (const each of lines) {
    if (each.content === 'unreadable') throw toUnreadable(path, each.line)
    const name = `${each.heading.trim()}\n${each.key}`
    const earlier = seen.get(name)
    if (earlier && !each.key.includes('.')) throw toRepeated(path, each, earlier.line)
    seen.set(name, each)
  }
}

/** What is no UTF-8 was read as U+FFFD. In a comment it does no harm; a file in UTF-16 begins with it. */
function refuseOtherEncodings(path: string, text: string): void {
  if (!text.includes('\uFFFD')) return
  const found = text.split(/\r?\n/).findIndex((line) => line.replace(/(^|\s)[;#].*/, '').includes('\uFFFD'))
  if (found < 0) return
  const message = `${path} is not UTF-8: line ${found + 1} has bytes that mean nothing in it`
  throw new HelperError('not-configured', message, `save ${path} as UTF-8`)
}

function toUnreadable(path: string, line: number): HelperError {
  return new HelperError(
    'not-configured',
    `${path} is malformed: line ${line} is neither a [section] nor a "key = value" inside one`,
    `correct line ${line} of ${path}`,
  )
}

function toRepeated(path: string, { line, heading, key }: AwsLine, earlier: number): HelperError {
  const isHeading = key === ''
  return new HelperError(
    'not-configured',
    `${path} is malformed: line ${line} ${isHeading ? `begins [${heading.trim()}]` : `sets ${key}`} again, after line ${earlier}`,
    isHeading
      ? `move what is below line ${line} of ${path} to line ${earlier}`
      : `remove line ${earlier} or line ${line} of ${path}`,
  )
}
