import { type Command, Option } from 'commander'
import { readDocument } from '../../config/read/document.ts'
import { createDocument } from '../../config/render/create-document.ts'
import { renderNested } from '../../config/render/shapes.ts'
import { checkOnEverySystem } from '../check-read-result.ts'
import type { Cli } from '../cli.ts'
import { tellFindings, toStatus } from '../show-findings.ts'
import { collectAnswers, type InitFlags } from './init-answers.ts'
import { writeAnswer } from './write-answer.ts'

interface Flags extends InitFlags {
  readonly out?: string
}

/** `gatepass config init`: a valid document for one of the suite's helpers, from flags or from answers. */
export function addConfigInit(config: Command, cli: Cli): void {
  config
    .command('init')
    .description('write a document for one of the helpers; on a terminal it asks for what is missing')
    .addOption(new Option('--helper <name>', 'the helper').choices([...cli.helpers.keys()]))
    .option('--base-url <url>', 'the full URL of the gateway')
    .option('--command <path>', 'where the helper is on macOS and Linux (default: /opt/gatepass/NAME)')
    .option('--command-windows <path>', 'where the helper is on Windows')
    .option('--arg <argument...>', 'an argument for the helper; may be repeated')
    .option('--out <file>', 'where to write it; an existing file is not replaced (default: standard output)')
    .addHelpText('after', '\nExit status: 0, or 1 if the document would not work; nothing is written then.')
    .action(async (flags: Flags) => init(cli, flags))
}

async function init(cli: Cli, flags: Flags): Promise<void> {
  const answers = await collectAnswers(cli, flags)
  const document = renderNested(createDocument(answers))
  const findings = await checkOnEverySystem(cli, readDocument(Buffer.from(document)))
  const status = toStatus(findings)
  tellFindings(cli.terminal, 'the document', findings)
  cli.setExitStatus(status)
  if (status === 0) await writeAnswer(cli.terminal, document, { out: flags.out, file: 'new' })
}
