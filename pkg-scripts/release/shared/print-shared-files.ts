import { completionScripts } from '../../../src/cli/completion.ts'
import { createProgram } from '../../../src/cli/run-cli.ts'
import { openTerminal } from '../../../src/cli/terminal.ts'
import type { AnyHelper } from '../../../src/helper/define-helper.ts'
import { createSystemHost } from '../../../src/runtime/host.ts'
import { suiteName } from '../../../src/suite/installed-programs.ts'
import { programName } from '../../../src/version.ts'
import type { SharedFile } from '../part/shared-file.ts'
import { listSupportSections } from './closing-sections.ts'
import { renderCommandManuals } from './command-manual.ts'
import { createHelperCompletions } from './helper-completions.ts'
import { renderHelperManual } from './helper-manual.ts'
import { renderManual } from './manual.ts'

/** Manual pages and completions of each part, by its name. */
export type SharedFiles = Readonly<Record<string, readonly SharedFile[]>>

/** Prints the files that parts share as JSON; `SOURCE_DATE_EPOCH` is the date of the pages. */
export async function main(helpers: ReadonlyMap<string, AnyHelper>): Promise<void> {
  const host = createSystemHost()
  const time = new Date(Number(host.env.SOURCE_DATE_EPOCH) * 1000)
  const terminal = openTerminal((failure) => {
    throw failure
  })
  const cli = { host, terminal, helpers, setExitStatus: () => {} }
  const manuals = renderCommandManuals(await createProgram(cli), time)
  const files: SharedFiles = {
    [suiteName]: listHelperFiles(helpers, time),
    [programName]: [
      ...[...manuals].map(([name, content]) => toManual(name, content)),
      { kind: 'bash', name: programName, content: completionScripts.bash },
      { kind: 'zsh', name: `_${programName}`, content: completionScripts.zsh },
      { kind: 'fish', name: `${programName}.fish`, content: completionScripts.fish },
    ],
  }
  await host.streams.stdout(JSON.stringify(files))
}

function listHelperFiles(helpers: ReadonlyMap<string, AnyHelper>, time: Date): SharedFile[] {
  const names = [...helpers.keys()]
  const each = [...helpers].flatMap(([name, helper]) => [
    toManual(name, renderHelperManual(name, helper, names, time)),
    ...createHelperCompletions(name, helper),
  ])
  return [toManual(suiteName, renderSuiteManual(helpers, time)), ...each]
}

function renderSuiteManual(helpers: ReadonlyMap<string, AnyHelper>, time: Date): string {
  const terms = [...helpers].map(([name, { summary }]) => ({ term: `${name}(1)`, meaning: [summary] }))
  const sections = [
    { title: 'SYNOPSIS', example: `${suiteName} HELPER [OPTIONS]` },
    {
      title: 'DESCRIPTION',
      paragraphs: [
        'One executable with every helper. The name under which it is started selects the helper; under its own name, the first argument does.',
      ],
    },
    { title: 'HELPERS', terms },
    ...listSupportSections(),
  ]
  return renderManual({ name: suiteName, summary: 'every credential helper in one executable' }, sections, time)
}

function toManual(name: string, content: string): SharedFile {
  return { kind: 'manual', name: `${name}.1`, content }
}
