import { InvalidArgumentError, Option } from 'commander'
import { isRelease } from '../config/release.ts'
import { shapes } from '../config/shape.ts'

/** The argument that names a document. */
export const documentArgument = ['<document>', 'a file, - for standard input, or the URL that serves it'] as const

const sourceShapes = [...shapes, 'managed-linux'] as const

/** What a document is, where its form leaves that open. */
export type SourceShape = (typeof sourceShapes)[number]

/** The option for a {@link SourceShape}. */
export function createShapeOption(): Option {
  return new Option('--shape <shape>', 'what the file is, where its form leaves it open').choices(sourceShapes)
}

/** The option that names a client release. */
export function createReleaseOption(): Option {
  return new Option('--client-version <release>', 'the installed client, such as 1.14271.0').argParser(parseRelease)
}

function parseRelease(text: string): string {
  if (isRelease(text)) return text
  throw new InvalidArgumentError('expected whole numbers with dots between them.')
}

/** A full URL, as a document has it. */
export function parseBaseUrl(text: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text
  throw new InvalidArgumentError('expected a full URL, such as https://gateway.example.com.')
}
