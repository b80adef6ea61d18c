import { type Command, Option } from 'commander'
import { convertDocument } from '../../config/render/convert.ts'
import { type Shape, shapes } from '../../config/shape.ts'
import type { Cli } from '../cli.ts'
import { createReleaseOption, createShapeOption, documentArgument, type SourceShape } from '../document-options.ts'
import { renderedHelp, writeRendered } from './write-rendered.ts'

interface ConvertFlags {
  readonly to: Shape
  readonly out?: string
  readonly shape?: SourceShape
  readonly clientVersion?: string
}

/** `gatepass config convert`: the same document in another form. */
export function addConfigConvert(config: Command, cli: Cli): void {
  config
    .command('convert')
    .description('print a document in another form')
    .argument(...documentArgument)
    .addOption(new Option('--to <form>', 'the form to print').choices(shapes).makeOptionMandatory())
    .option('--out <file>', 'where to write it (default: standard output)')
    .addOption(createShapeOption())
    .addOption(createReleaseOption())
    .addHelpText('after', renderedHelp)
    .action(async (source: string, { to, clientVersion, ...flags }: ConvertFlags) => {
      await writeRendered(cli, { source, ...flags }, (result) => convertDocument(result, to, clientVersion))
    })
}
