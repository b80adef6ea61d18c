import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ReadResult } from '../../config/read/document.ts'
import { renderInstallCommand } from '../../config/read/linux-managed.ts'
import { convertDocument } from '../../config/render/convert.ts'
import { toManagedPreferences } from '../../config/render/managed-preferences.ts'
import { renderMobileconfig } from '../../config/render/mobileconfig.ts'
import { renderIntune, renderRegistry } from '../../config/render/registry.ts'
import { toOneLine } from '../../runtime/failure.ts'
import type { Cli } from '../cli.ts'
import { createReleaseOption, createShapeOption, documentArgument, type SourceShape } from '../document-options.ts'
import { type Rendered, renderedHelp, writeRendered } from './write-rendered.ts'

const targets = ['mobileconfig', 'reg', 'linux', 'intune'] as const

interface RenderFlags {
  readonly to: (typeof targets)[number]
  readonly clientVersion?: string
  readonly identifier?: string
  readonly organization?: string
}

interface ExportFlags extends RenderFlags {
  readonly out?: string
  readonly shape?: SourceShape
}

/** `gatepass config export`: a file that a platform's own tools take. */
export function addConfigExport(config: Command, cli: Cli): void {
  config
    .command('export')
    .description("write a document as a file that a platform's own tools take")
    .argument(...documentArgument)
    .addOption(new Option('--to <platform>', 'the kind of file').choices(targets).makeOptionMandatory())
    .option('--out <file>', 'where to write it (default: standard output)')
    .option('--identifier <name>', 'reverse domain name of a mobileconfig, such as com.example.ai', parseIdentifier)
    .option('--organization <name>', 'who the mobileconfig says it is from')
    .addOption(createShapeOption())
    .addOption(createReleaseOption())
    .addHelpText('after', renderedHelp)
    .action(async (source: string, flags: ExportFlags) => exportDocument(cli, source, flags))
}

function parseIdentifier(text: string): string {
  if (/^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/.test(text)) return text
  throw new InvalidArgumentError('expected letters, digits and hyphens with dots between them.')
}

async function exportDocument(cli: Cli, source: string, { out, shape, ...flags }: ExportFlags): Promise<void> {
  const target = { source, ...(out !== undefined && { out }), ...(shape && { shape }) }
  const rendered = await writeRendered(cli, target, (result) => render(result, flags))
  if (rendered && flags.to === 'linux') {
    cli.terminal.tell(`install it with: ${toOneLine(renderInstallCommand(out ?? 'FILE'))}\n`)
  }
}

function render(result: ReadResult, { to, clientVersion, ...profile }: RenderFlags): Rendered | undefined {
  if (to === 'linux') return convertDocument(result, 'flat', clientVersion)
  const exported = toManagedPreferences(result, clientVersion)
  if (!exported) return undefined
  const { entries, findings } = exported
  switch (to) {
    case 'mobileconfig':
      return { content: renderMobileconfig(entries, profile), findings }
    case 'reg':
      return { content: renderRegistry(entries), findings }
    case 'intune':
      return { content: renderIntune(entries), findings }
  }
}
