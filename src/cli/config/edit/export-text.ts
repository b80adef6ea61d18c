import { InvalidArgumentError } from 'commander'
import type { ReadResult } from '../../../config/read/read-document.ts'
import { HelperError, outcomeStatus } from '../../../runtime/failure.ts'
import type { Cli } from '../../cli.ts'
import { parseIdentifier, parseWebPage } from '../export.ts'
import type { ExportContent, ExportFormat } from '../export-format.ts'
import { exportFormats, exportNames } from '../export-formats.ts'
import { checkRendering } from '../write-rendered.ts'
import type { ExportedFiles, OpenedPage } from './page-data.ts'

/** Lists the formats of `gatepass config export`. */
export function listFormats(): OpenedPage['formats'] {
  return exportNames.map((name) => ({ name, summary: exportFormats[name].summary }))
}

/** The export to create. Empty texts count as not given. */
interface WantedExport {
  readonly to: string
  readonly release: string
  readonly identifier: string
  readonly organization: string
  readonly moreInfoUrl: string
}

/** Exports a document as `gatepass config export` does; a document with errors is not exported. */
export async function renderExport(cli: Cli, result: ReadResult, wanted: WantedExport): Promise<ExportedFiles> {
  const name = exportNames.find((other) => other === wanted.to)
  if (!name) return createUnexported('Choose a format.')
  const format: ExportFormat = exportFormats[name]
  try {
    const options = parseOptions(wanted)
    const task = { os: format.os, clientVersion: wanted.release || undefined }
    const checked = await checkRendering(cli, result, task, () => format.render(result, options))
    const findings = checked.findings.filter(({ severity }) => severity !== 'info')
    if (!checked.rendered) return createUnexported('The document cannot be read.', findings)
    if (checked.status !== outcomeStatus.done)
      return createUnexported('The document has errors, and is not exported.', findings)
    const files = listFiles(format, checked.rendered.content)
    const next = format.renderNext?.(files[0]?.name ?? 'FILE') ?? ''
    return { problem: '', findings, files, next }
  } catch (error) {
    if (error instanceof InvalidArgumentError) return createUnexported(error.message)
    if (error instanceof HelperError) return createUnexported(`${error.message}.`)
    throw error
  }
}

function createUnexported(problem: string, findings: ExportedFiles['findings'] = []): ExportedFiles {
  return { problem, findings, files: [], next: '' }
}

function parseOptions({ release, identifier, organization, moreInfoUrl }: WantedExport) {
  return {
    clientVersion: release || undefined,
    identifier: identifier ? parseIdentifier(identifier) : undefined,
    organization: organization || undefined,
    moreInfoUrl: moreInfoUrl ? parseWebPage(moreInfoUrl) : undefined,
  }
}

function listFiles({ file, savedAs = file }: ExportFormat, content: ExportContent): ExportedFiles['files'] {
  const encode = (part: string | Uint8Array) =>
    (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part.buffer, part.byteOffset, part.length)).toString(
      'base64',
    )
  if (typeof content === 'string' || content instanceof Uint8Array) return [{ name: savedAs, content: encode(content) }]
  return Object.entries(content.files).map(([name, part]) => ({ name, content: encode(part) }))
}
