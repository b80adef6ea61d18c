import type { AnyHelper } from '../../src/helper/define-helper.ts'
import { commonOptions } from '../../src/helper/options/every-helper-options.ts'
import { type OptionRow, renderPlaceholder } from '../../src/helper/options/option-table.ts'
import { listVariables } from '../../src/helper/options/option-value.ts'
import { settingOrder } from '../../src/helper/run/help.ts'
import { exitStatus } from '../../src/runtime/failure.ts'
import { machineDirectories } from '../../src/runtime/host.ts'
import { locateInstalled } from '../../src/suite/installed-programs.ts'

/** Renders a page in docs/helpers for a new helper, which matches its declaration and which its author completes. */
export function renderHelperPage(name: string, { summary, options }: AnyHelper): string {
  return `# ${name}

${summary.replace(/^print /, 'Prints ')}.

| | |
|---|---|
| prints | ${summary.replace(/^print /, '')} |
| from | a token service |
| hosts that a proxy has to allow | the host of \`token-url\` |

## What it prints

One JSON object on one line: the token, and headers if any are configured.

\`\`\`json
{"token": "…", "headers": {"X-Team": "blue"}}
\`\`\`

## Configure the client

\`\`\`json
{
  "$schemaVersion": 2,
  "inference": {
    "provider": "gateway",
    "baseUrl": "https://gateway.example",
    "credential": {
      "kind": "helper-script",
      "command": "${locateInstalled(name, 'posix')}",
      "args": ["--token-url", "https://tokens.example"]
    }
  }
}
\`\`\`

Every setting can also stand in the machine's file, which only an administrator can write: \`${machineDirectories.linux}/${name}.json\` on Linux,
\`${machineDirectories.macos}/${name}.json\` on macOS, and \`${name}.json\` beside the executable on Windows.
[It has a page](../machine-file.md).

\`\`\`json
{
  "token-url": "https://tokens.example",
  "locked": ["token-url"]
}
\`\`\`

## Options

The first of these counts: ${settingOrder}.

${['| option | variables | what it is |', '|---|---|---|', ...renderOptionRows({ ...options, ...commonOptions })].join('\n')}

## When it fails

Nothing is on stdout then. stderr has one line that says what is wrong and one that says what to do.

| status | what happened | what to do |
|---|---|---|
| ${exitStatus.usage} | an option or a header cannot be used | correct it |
| ${exitStatus['not-configured']} | a setting is missing, or a file cannot be used | do what the hint says |
| ${exitStatus['sign-in-required']} | does not happen: nobody signs in | |
| ${exitStatus.refused} | the source refused | ask its operators |
| ${exitStatus.unavailable} | the source could not be reached, or is overloaded | check network, VPN and proxy |
| ${exitStatus.late} | it took too long; the message names the step | find out why that step is slow, or raise \`timeoutSec\` |

## What is kept

The token, in the user's own cache directory, readable by that user only. \`--cache none\` keeps nothing.
`
}

/** Renders the rows of the table of options on a helper's page. */
function renderOptionRows(options: Readonly<Record<string, OptionRow>>): string[] {
  return Object.entries(options).map(([option, row]) => {
    const spelt = row.only === "machine's file" ? option : `--${option}`
    const flag = `${spelt} ${renderPlaceholder(row).replaceAll('|', '\\|')}`.trimEnd()
    const short = row.short === undefined ? '' : `, \`-${row.short}\``
    const variables = listVariables(option, row).map((variable) => `\`${variable}\``)
    const where = row.only === "machine's file" ? machineOnly : variables.join(', ')
    return `| \`${flag}\`${short} | ${where} | ${row.summary} |`.replace('|  |', '| |')
  })
}

const machineOnly = "the machine's file only"
