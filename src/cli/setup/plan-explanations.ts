import type { OperatingSystem } from '../../config/check/rule.ts'
import type { HelperScriptCredential } from '../../config/document.ts'
import { quoteInAscii } from '../../config/render/management/windows-examination.ts'
import { toAwsVariables } from '../../contract/environment.ts'
import { quoteWord } from '../../runtime/text/quote.ts'
import { programName } from '../../version.ts'
import type { FolderFile } from './folder.ts'
import type { PlannedDocument } from './plan-document.ts'

/** The name of the script in each system's folder. */
const explainNames: Readonly<Record<OperatingSystem, string>> = {
  linux: 'explain.sh',
  macos: 'explain.sh',
  windows: 'explain.ps1',
}

/**
 * Plans a script for each system that runs the helper like the document with `--explain`: a desktop has only the helpers, and no `gatepass
 * doctor`.
 */
export function planExplanations(documents: readonly PlannedDocument[]): FolderFile[] {
  return documents.flatMap(({ systems, result }) => {
    const credential = result.document?.inference?.credential
    if (credential?.kind !== 'helper-script') return []
    return systems.flatMap((system) => {
      const content = system === 'windows' ? renderPowerShell(credential) : renderShell(credential)
      const about = 'a script for a person whose client fails: what the helper would use and why, and no token'
      return content === undefined
        ? []
        : [{ path: `${system}/${explainNames[system]}`, content, about, isExport: true as const }]
    })
  })
}

const note = `# Written by ${programName} setup. Run it as the person whose client fails: it says what the helper would use and why, and no token.`

/** Escapes a quotation mark with a backslash, without which Windows PowerShell does not pass it to a program. */
function renderPowerShell({ commandWindows, command, args = [], awsEnv }: HelperScriptCredential): string | undefined {
  const program = commandWindows ?? command
  if (program === undefined) return undefined
  const variables = Object.entries(toAwsVariables(awsEnv, 'win32')).map(
    ([name, value]) => `$env:${name} = ${quoteInAscii(value)}\n`,
  )
  const words = [...args, '--explain'].map((word) => quoteInAscii(word.replaceAll('"', '\\"')))
  const text = `${note}\n${variables.join('')}& ${quoteInAscii(program)} ${words.join(' ')}\nexit $LASTEXITCODE\n`
  return text.replaceAll('\n', '\r\n')
}

function renderShell({ command, args = [], awsEnv }: HelperScriptCredential): string | undefined {
  if (command === undefined) return undefined
  const variables = Object.entries(toAwsVariables(awsEnv, 'linux')).map(
    ([name, value]) => `export ${name}=${quoteWord(value)}\n`,
  )
  return `#!/bin/sh\n${note}\n${variables.join('')}exec ${[command, ...args, '--explain'].map(quoteWord).join(' ')}\n`
}
