import { writeFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { convertReading } from '../config/convert-reading.ts'
import type { Finding } from '../config/document.ts'
import { exportEntries } from '../config/export-entries.ts'
import { renderInstallCommand } from '../config/linux-managed.ts'
import type { Reading } from '../config/read-document.ts'
import { renderMobileconfig } from '../config/render-mobileconfig.ts'
import { renderIntune, renderRegistry } from '../config/render-registry.ts'
import { HelperError } from '../runtime/failure.ts'
import type { Cli } from './cli.ts'
import { releaseOption } from './config-check.ts'
import { documentArgument, readSource, type SourceShape, shapeOption } from './read-source.ts'
import { renderFindings, unreadableStatus } from './show-findings.ts'

const targets = ['mobileconfig', 'reg', 'linux', 'intune'] as const

interface ExportFlags {
  readonly to: (typeof targets)[number]
  readonly out?: string
  readonly shape?: SourceShape
  readonly clientVersion?: string
  readonly identifier?: string
  readonly organization?: string
}

/** `gatepass config export`: a file that a platform's own tools take. */
export function addConfigExport(config: Command, cli: Cli): void {
  config
    .command('export')
    .description("write a document as a file that a platform's own tools take")
    .argument(...documentArgument)
    .addOption(new Option('--to <platform>', 'the kind of file').choices(targets).makeOptionMandatory())
    .option('--out <file>', 'where to write it (default: standard output)')
    .option('--identifier <name>', 'reverse domain name of a mobileconfig')
    .option('--organization <name>', 'who the mobileconfig says it is from')
    .addOption(shapeOption())
    .addOption(releaseOption())
    .action(async (source: string, flags: ExportFlags) => exportDocument(cli, source, flags))
}

async function exportDocument({ terminal, conclude }: Cli, source: string, flags: ExportFlags): Promise<void> {
  const reading = await readSource(terminal, source, flags.shape)
  const rendered = render(reading, flags)
  terminal.tell(renderFindings([...reading.findings, ...(rendered?.findings ?? [])], terminal.paint))
  if (!rendered) return conclude(unreadableStatus)
  if (flags.out === undefined) terminal.print(rendered.content)
  else await write(flags.out, rendered.content)
  if (flags.to === 'linux') terminal.tell(`install it with: ${renderInstallCommand(flags.out ?? 'FILE')}\n`)
}

interface Rendered {
  readonly content: string | Uint8Array
  readonly findings: readonly Finding[]
}

function render(reading: Reading, { to, clientVersion, identifier, organization }: ExportFlags): Rendered | undefined {
  if (to === 'linux') {
    const converted = convertReading(reading, 'flat', clientVersion)
    return converted && { content: converted.text, findings: converted.findings }
  }
  const exported = exportEntries(reading, clientVersion)
  if (!exported) return undefined
  const { entries, findings } = exported
  if (to === 'reg') return { content: renderRegistry(entries), findings }
  if (to === 'intune') return { content: renderIntune(entries), findings }
  const content = renderMobileconfig(entries, {
    ...(identifier && { identifier }),
    ...(organization && { organization }),
  })
  return { content, findings }
}

async function write(path: string, content: string | Uint8Array): Promise<void> {
  try {
    await writeFile(path, content)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new HelperError('refused', `${path} cannot be written (${code})`, 'name another file with --out', { cause })
  }
}
