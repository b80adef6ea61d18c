import { isCredentialHeader } from '../../../runtime/hiding/credential-text.ts'

/** A header, as a helper with `--format headers` prints it and as `curl` takes it. */
const line =
  /^(?:(?:-H|--header)[\s=]+)?(?<quote>["']?)(?<name>[\w!#$%&*+.^`|~-]+):[ \t]+(?<value>\S.*?)\k<quote>\s*\\?$/

/** Parses a text whose lines are all headers, of which one carries a credential; `undefined` for any other. */
export function parseHeaderLines(text: string): readonly (readonly [name: string, value: string])[] | undefined {
  const lines = text.split(/\r\n|\r|\n/).filter((part) => part.trim() !== '')
  const headers = lines.flatMap((part) => {
    const { name, value } = line.exec(part.trim())?.groups ?? {}
    return name !== undefined && value !== undefined ? [[name, value] as const] : []
  })
  const isWhole = headers.length === lines.length && headers.some(([name, value]) => isCredentialHeader(name, value))
  return isWhole ? headers : undefined
}
