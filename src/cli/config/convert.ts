import { type Command, Option } from 'commander'
import { type OperatingSystem, operatingSystems } from '../../config/check/rule.ts'
import { convertDocument } from '../../config/render/convert.ts'
import { type Shape, shapes } from '../../config/shape.ts'
import type { Cli } from '../cli.ts'
import { createReleaseOption, createShapeOption, documentArgument, type SourceShape } from '../document-options.ts'
import { forceOption, renderedHelp, writeRendered } from './write-rendered.ts'

interface ConvertFlags {
  readonly to: Shape
  readonly out?: string
  readonly shape?: SourceShape
  readonly os?: OperatingSystem
  readonly clientVersion?: string
  readonly force?: true
}

/** `gatepass config convert`: the same document in another form. */
export function addConfigConvert(config: Command, cli: Cli): void {
  config
    .command('convert')
    .description('print a document in another form')
    .argument(...documentArgument)
    .addOption(new Option('--to <form>', 'the form to print').choices(shapes).makeOptionMandatory())
    .option('--out <file>', 'where to write it (default: standard output)')
    .option(...forceOption)
    .addOption(createShapeOption())
    .addOption(createReleaseOption())
    .addOption(
      new Option(
        '--os <system>',
        'whose helper path is checked (default: every system that the document has one for)',
      ).choices(operatingSystems),
    )
    .addHelpText('after', renderedHelp)
    .action(async (source: string, { to, ...flags }: ConvertFlags) => {
      await writeRendered(cli, { source, ...flags }, (result) => convertDocument(result, to, flags.clientVersion))
    })
}
