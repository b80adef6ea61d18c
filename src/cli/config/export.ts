import { type Command, InvalidArgumentError, Option } from 'commander'
import type { OperatingSystem } from '../../config/check/rule.ts'
import type { ReadResult } from '../../config/read/document.ts'
import { renderInstallCommand } from '../../config/read/linux-managed.ts'
import { convertDocument } from '../../config/render/convert.ts'
import { toManagedPreferences } from '../../config/render/managed-preferences.ts'
import { renderMobileconfig } from '../../config/render/mobileconfig.ts'
import { renderIntune, renderRegistry } from '../../config/render/registry.ts'
import { HelperError, toOneLine } from '../../runtime/failure.ts'
import type { Cli } from '../cli.ts'
import { createReleaseOption, createShapeOption, documentArgument, type SourceShape } from '../document-options.ts'
import { type UndoTarget, undoTargets, writeUndo } from './undo.ts'
import { forceOption, type Rendered, renderedHelp, writeRendered } from './write-rendered.ts'

/** The platforms that an export is for, and the system that reads it there. */
const systems = {
  mobileconfig: 'macos',
  reg: 'windows',
  linux: 'linux',
  intune: 'windows',
} as const satisfies Record<string, OperatingSystem>

type Platform = keyof typeof systems

interface RenderFlags {
  readonly to: Platform
  readonly clientVersion?: string
  readonly identifier?: string
  readonly organization?: string
}

interface ExportFlags extends RenderFlags {
  readonly out?: string
  readonly shape?: SourceShape
  readonly force?: true
  readonly undo?: true
}

/** `gatepass config export`: a file that a platform's own tools take. */
export function addConfigExport(config: Command, cli: Cli): void {
  const [, summary] = documentArgument
  config
    .command('export')
    .description("write a document as a file that a platform's own tools take")
    .argument('[document]', `${summary}; with --undo it may be left out`)
    .addOption(new Option('--to <platform>', 'the kind of file').choices(Object.keys(systems)).makeOptionMandatory())
    .option('--out <file>', 'where to write it (default: standard output)')
    .option(...forceOption)
    .option('--undo', 'with reg and intune: remove every known setting, and the document’s unknown ones')
    .option('--identifier <name>', 'reverse domain name of a mobileconfig, such as com.example.ai', parseIdentifier)
    .option('--organization <name>', 'who the mobileconfig says it is from')
    .addOption(createShapeOption())
    .addOption(createReleaseOption())
    .addHelpText('after', renderedHelp)
    .action(async (source: string | undefined, flags: ExportFlags) => {
      if (flags.undo) return writeUndo(cli, { source, ...flags, to: requireUndo(flags.to) })
      return exportDocument(cli, requireSource(source), flags)
    })
}

function parseIdentifier(text: string): string {
  if (/^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/.test(text)) return text
  throw new InvalidArgumentError('expected letters, digits and hyphens with dots between them.')
}

function requireSource(source: string | undefined): string {
  if (source !== undefined) return source
  throw new HelperError('usage', "missing required argument 'document'", 'see: gatepass config export --help')
}

function requireUndo(to: Platform): UndoTarget {
  const target = undoTargets.find((name) => name === to)
  if (target) return target
  const hint =
    to === 'linux' ? 'delete the managed file on each machine' : 'remove the profile, where it was installed from'
  throw new HelperError('usage', `there is no --undo for ${to}: its file is replaced as a whole`, hint)
}

async function exportDocument(cli: Cli, source: string, flags: ExportFlags): Promise<void> {
  const written = await writeRendered(cli, { source, ...flags, os: systems[flags.to] }, (result) =>
    render(result, flags),
  )
  if (written && flags.to === 'linux') {
    cli.terminal.tell(`install it with: ${toOneLine(renderInstallCommand(flags.out ?? 'FILE'))}\n`)
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
