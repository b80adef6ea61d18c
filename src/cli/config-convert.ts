import { type Command, Option } from 'commander'
import { convertReading } from '../config/convert-reading.ts'
import { type Shape, shapes } from '../config/shape.ts'
import type { Cli } from './cli.ts'
import { releaseOption } from './config-check.ts'
import { documentArgument, readSource, type SourceShape, shapeOption } from './read-source.ts'
import { renderFindings, unreadableStatus } from './show-findings.ts'

interface ConvertFlags {
  readonly to: Shape
  readonly shape?: SourceShape
  readonly clientVersion?: string
}

/** `gatepass config convert`: the same document in another form. */
export function addConfigConvert(config: Command, cli: Cli): void {
  config
    .command('convert')
    .description('print a document in another form; what is lost is named on stderr')
    .argument(...documentArgument)
    .addOption(new Option('--to <form>', 'the form to print').choices(shapes).makeOptionMandatory())
    .addOption(shapeOption())
    .addOption(releaseOption())
    .action(async (source: string, flags: ConvertFlags) => convert(cli, source, flags))
}

async function convert({ terminal, conclude }: Cli, source: string, flags: ConvertFlags): Promise<void> {
  const reading = await readSource(terminal, source, flags.shape)
  const converted = convertReading(reading, flags.to, flags.clientVersion)
  const findings = [...reading.findings, ...(converted?.findings ?? [])]
  terminal.tell(renderFindings(findings, terminal.paint))
  if (converted) terminal.print(converted.text)
  else conclude(unreadableStatus)
}
