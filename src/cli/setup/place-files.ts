// Plans the scripts and playbooks that copy files to their paths on each machine.

import { posix, win32 } from 'node:path'
import { stringify } from 'yaml'
import { type OperatingSystem, operatingSystems } from '../../config/check/rule.ts'
import { quoteInAscii } from '../../config/render/management/windows-examination.ts'
import { machineDirectories } from '../../runtime/host.ts'
import { quoteWord } from '../../runtime/text/quote.ts'
import { installDirectories, suiteName } from '../../suite/installed-programs.ts'
import { programName, version } from '../../version.ts'
import { exportFormats } from '../config/export-formats.ts'
import { type SetupAnswers, splitList } from './answers.ts'
import { authorityPath, type FolderFile, vendorPath } from './folder.ts'
import type { ManagedSystem } from './management.ts'
import { awsDirectories } from './plan-document.ts'

/** Locates the script of a system in the folder. */
export function locatePlacement(system: OperatingSystem): string {
  return `${system}/place-files.${system === 'windows' ? 'ps1' : 'sh'}`
}

/** Locates the playbook of a system in the folder. */
export function locatePlaybook(system: OperatingSystem): string {
  return `${system}/playbook.yml`
}

/**
 * Plans a script for each system that copies the folder's machine files to their paths, so that only an administrator can change them. It
 * contains the files, because management tools distribute one script and not a folder.
 */
export function planPlacement(answers: SetupAnswers, files: readonly FolderFile[]): FolderFile[] {
  const placeable = listPlaceable(files)
  if (placeable.length === 0) return []
  const names = placeable.map(({ path }) => `\`${path}\``).join(', ')
  return operatingSystems
    .filter((system) => splitList(answers.systems).includes(system))
    .map((system) => {
      const placed = placeable.map(({ path, content }) => ({
        path: toInstalledPath(path, system, answers),
        text: String(content),
      }))
      return {
        path: locatePlacement(system),
        content: system === 'windows' ? renderPowerShell(placed) : renderShell(placed),
        about: `a script for administrators: puts ${names} into their places`,
        isExport: true as const,
      }
    })
}

/** A file of a machine: its path and its text. */
interface PlacedFile {
  readonly path: string
  readonly text: string
}

/** Lists the paths of the files that a system's script has placed. */
export function listPlaced(system: OperatingSystem, answers: SetupAnswers, files: readonly FolderFile[]): string[] {
  return listPlaceable(files).map(({ path }) => toInstalledPath(path, system, answers))
}

/** Only files with a reader are placed; the authority is read by helpers only. */
function listPlaceable(files: readonly FolderFile[]): FolderFile[] {
  const hasSettings = files.some(({ path }) => isSettings(path))
  return files.filter(
    ({ path }) =>
      path === vendorPath || path.startsWith('aws/') || isSettings(path) || (path === authorityPath && hasSettings),
  )
}

/** Returns whether a file is the machine's file of a helper. */
function isSettings(path: string): boolean {
  return /^machine\/.*\.json$/.test(path)
}

/** Returns the path of a file of the folder on a machine of that system. */
function toInstalledPath(path: string, system: OperatingSystem, answers: SetupAnswers): string {
  const { join } = system === 'windows' ? win32 : posix
  const name = posix.basename(path)
  if (path.startsWith('aws/')) return join(awsDirectories[system === 'windows' ? 'windows' : 'posix'], name)
  return join(locateMachineDirectory(system, answers), name)
}

/** Locates the folder of an administrator's files on a machine; on Windows it is the helper's own folder. */
function locateMachineDirectory(system: OperatingSystem, answers: SetupAnswers): string {
  if (system === 'windows')
    return answers['command-windows'] === undefined
      ? installDirectories.windows
      : win32.dirname(answers['command-windows'])
  return machineDirectories[system]
}

/**
 * Renders a PowerShell script. Files below C:\Program Files inherit its access list; the owner is set, because a file belongs to its
 * creator.
 */
function renderPowerShell(files: readonly PlacedFile[]): string {
  const parts = files.map(({ path, text }) => {
    const lines = text.trimEnd().split('\n')
    return `Set-MachineFile ${quoteInAscii(path)} @(\n${lines.map((line) => `  ${quoteInAscii(line)}`).join(',\n')}\n)\n`
  })
  const text = `# Written by ${programName} setup. Run it as the system or an administrator: it puts each file into its place, and then installs the
# .msi of this version for this processor, if one lies beside this script.
$ErrorActionPreference = 'Stop'
function Set-MachineFile([string]$Path, [string[]]$Lines) {
  $folder = [System.IO.Path]::GetDirectoryName($Path)
  [void][System.IO.Directory]::CreateDirectory($folder)
  $new = $Path + '.new'
  $text = ($Lines -join [string][char]10) + [char]10
  # Without a byte-order mark, which Windows PowerShell writes unless told otherwise.
  [System.IO.File]::WriteAllText($new, $text, (New-Object System.Text.UTF8Encoding $false))
  Invoke-Icacls @($new, '/reset', '/q')
  Invoke-Icacls @($new, '/setowner', '*S-1-5-32-544', '/q')
  Move-Item -LiteralPath $new -Destination $Path -Force
  Write-Output ('placed ' + $Path)
}
function Invoke-Icacls([string[]]$Words) {
  & "$env:SystemRoot\\System32\\icacls.exe" @Words | Out-Null
  if ($LASTEXITCODE -ne 0) { throw ('icacls ' + ($Words -join ' ') + ' failed') }
}
${parts.join('')}# The registry names the processor of the machine, also to a program for another one.
$environment = 'HKLM:\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment'
$processor = if ((Get-ItemProperty -LiteralPath $environment).PROCESSOR_ARCHITECTURE -eq 'ARM64') { 'arm64' } else { 'x64' }
$package = Join-Path $PSScriptRoot ('${suiteName}-${version}-win32-' + $processor + '.msi')
if (Test-Path -LiteralPath $package) {
  $words = '/i "' + $package + '" /qn /norestart'
  $installed = Start-Process -FilePath "$env:SystemRoot\\System32\\msiexec.exe" -ArgumentList $words -Wait -PassThru
  Write-Output ('msiexec ended with ' + $installed.ExitCode)
  exit $installed.ExitCode
}
if (@(Get-ChildItem -LiteralPath $PSScriptRoot -Filter '*.msi').Count -gt 0) { throw ('there is no ' + $package) }
exit 0
`
  return text.replaceAll('\n', '\r\n')
}

/** Renders a POSIX shell script. Every file is written under another name and renamed, so that a helper reads the old or the new one. */
function renderShell(files: readonly PlacedFile[]): string {
  const parts = files.map(({ path, text }) => `\nplace ${quoteWord(path)} <<'${heredocEnd}'\n${text}${heredocEnd}\n`)
  return `#!/bin/sh
# Written by ${programName} setup. Run it as root: it puts each file into its place, where only root can change it.
set -eu
export PATH=/usr/bin:/bin:/usr/sbin:/sbin
umask 022

# Directories that are there already may be another user's.
own() { chown 0:0 "$1" && chmod "$2" "$1"; }
place() {
  folder=${'$'}{1%/*}
  if [ -L "$folder" ]; then echo "$folder is a link: remove it" >&2; exit 1; fi
  mkdir -p "$folder"
  own "$folder" 0755
  new=$(mktemp "$folder/.new.XXXXXX")
  cat >"$new"
  own "$new" 0644
  mv -f "$new" "$1"
  echo "placed $1"
}
${parts.join('')}`
}

/** No line of these files, which are JSON and an AWS configuration, equals this. */
const heredocEnd = 'END_OF_GATEPASS_FILE'

/** Plans a playbook for each task file of Ansible, with the variables of the tasks and the files that they do not include. */
export function planPlaybooks(
  managed: readonly ManagedSystem[],
  answers: SetupAnswers,
  files: readonly FolderFile[],
): FolderFile[] {
  return managed
    .filter(({ formats }) => formats.includes('ansible'))
    .map(({ system }) => ({
      path: locatePlaybook(system),
      content: renderPlaybook(
        files.map(({ path }) => path),
        (path) => toInstalledPath(path, system, answers),
      ),
      about: 'a playbook of Ansible with the tasks of `tasks.yml` and the files of the machine',
    }))
}

function renderPlaybook(paths: readonly string[], toInstalledPath: (path: string) => string): string {
  const machineFile = paths.find(isSettings)
  // The tasks place the names of the client and the settings.
  const others = paths.filter((path) => path.startsWith('aws/') || (path === authorityPath && machineFile))
  const root = { owner: 'root', group: '0' }
  const play = {
    hosts: 'all',
    become: true,
    vars: {
      gatepass_package: suiteName,
      ...(paths.includes(vendorPath) && { gatepass_vendor_file: toHere(vendorPath) }),
      ...(machineFile && {
        gatepass_settings: `{{ lookup('file', playbook_dir ~ '/../${machineFile}') | from_json }}`,
      }),
    },
    tasks: [
      ...others.flatMap((path) => [
        {
          'ansible.builtin.file': {
            path: posix.dirname(toInstalledPath(path)),
            state: 'directory',
            ...root,
            mode: '0755',
          },
        },
        { 'ansible.builtin.copy': { src: toHere(path), dest: toInstalledPath(path), ...root, mode: '0644' } },
      ]),
      { 'ansible.builtin.include_tasks': exportFormats.ansible.file },
    ],
  }
  return `# Written by ${programName} setup. gatepass_package is a name in your own repository, or the path of a .deb or .rpm.\n${stringify([play], { lineWidth: 0 })}`
}

function toHere(path: string): string {
  return `{{ playbook_dir }}/../${path}`
}
