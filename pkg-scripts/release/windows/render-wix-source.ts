import { logName } from '../../../src/outcomes/destinations/log-event.ts'
import { escapeHtml } from '../../../src/runtime/text/escape.ts'
import { type MsiCodes, toComponentCode } from './msi-codes.ts'
import { listMsiFiles, type MsiFile } from './msi-files.ts'
import { nameProduct } from './msi-properties.ts'
import type { WindowsPackage } from './windows-package.ts'

/** The registry key with the directory of an installation, so that an upgrade or a repair uses the same one. */
const rememberedKey = 'SOFTWARE\\Gatepass\\Installer'

/** The registry key at which Windows looks up the texts of a source's events. */
const eventSourceKey = `SYSTEM\\CurrentControlSet\\Services\\EventLog\\Application\\${logName}`

/**
 * A program of every Windows whose texts of events are the text that is given with the event, for numbers up to 1000. A file of our
 * own would be open in the event viewer while an upgrade replaces it.
 */
export const eventTexts = '%SystemRoot%\\System32\\EventCreate.exe'

/** The messages of failed launch conditions. */
const refusals = {
  newer:
    'A newer version of [ProductName] is installed. To go back to this one, uninstall that one first; configuration stays.',
  user: '[ProductName] is installed for every user of the machine: remove ALLUSERS and MSIINSTALLPERUSER.',
  old: '[ProductName] needs Windows 10, Windows Server 2016 or newer.',
} as const

/**
 * Describes the package in the language of WiX, as `wixl` reads it. Files lie beside it, under their keys. The table of properties has all
 * foreign texts: wixl 0.101 crashes over some publishers' names and takes `$(…)` for a variable.
 */
export function renderWixSource(from: WindowsPackage, codes: MsiCodes): string {
  const components = listComponents(from)
  return `<?xml version="1.0" encoding="utf-8"?>
<Wix xmlns="http://schemas.microsoft.com/wix/2006/wi">
  <Product ${renderAttributes({ Id: codes.productCode, UpgradeCode: codes.upgradeCode, Name: nameProduct(from), Version: from.version, Manufacturer: 'Gatepass', Language: '1033' })}>
    <Package ${renderAttributes({ InstallerVersion: '500', Compressed: 'yes', InstallScope: 'perMachine', Description: nameProduct(from), Comments: nameProduct(from) })}/>
    <Media Id="1" Cabinet="files.cab" EmbedCab="yes"/>
${renderUpgrade(from, codes)}
${renderConditions()}
    <Property Id="INSTALLDIR">
      <RegistrySearch Id="remembered" Root="HKLM" ${renderAttributes({ Key: rememberedKey, Name: from.name })} Type="raw" Win64="yes"/>
    </Property>
    <Directory Id="TARGETDIR" Name="SourceDir">
      <Directory Id="ProgramFiles64Folder">
        <Directory Id="INSTALLDIR" Name="Gatepass">
${components.map(([id, content]) => renderComponent(from, id, content)).join('\n')}
        </Directory>
      </Directory>
    </Directory>
    <Feature Id="Complete" Level="1">
${components.map(([id]) => `      <ComponentRef Id="${id}"/>`).join('\n')}
    </Feature>
${renderActions(from)}
  </Product>
</Wix>
`
}

/** Lists the key and the content of each component. Only helpers write events. */
function listComponents(from: WindowsPackage): [id: string, content: string][] {
  const events: [string, string][] = from.names.length > 0 ? [['event_source', renderEventSource()]] : []
  const files = listMsiFiles(from).map((file): [string, string] => [file.id, renderFile(file)])
  const remembered = renderAttributes({ Key: rememberedKey, Name: from.name })
  return [
    ['directory', '<CreateFolder/>'],
    [
      'remembered',
      `<RegistryValue Id="remembered" Root="HKLM" ${remembered} Type="string" Value="[INSTALLDIR]" KeyPath="yes"/>`,
    ],
    ...events,
    ...files,
  ]
}

/** The same version counts as an older one, so that a build with a vendor's other names replaces the earlier one. */
function renderUpgrade({ version }: WindowsPackage, { upgradeCode }: MsiCodes): string {
  const [major, minor, patch] = version.split('.').map(Number)
  const following = `${major}.${minor}.${patch! + 1}`
  return `    <Upgrade Id="${upgradeCode}">
      <UpgradeVersion Minimum="0.0.0" IncludeMinimum="yes" Maximum="${following}" IncludeMaximum="no" OnlyDetect="no" Property="FORMERVERSION"/>
      <UpgradeVersion Minimum="${version}" IncludeMinimum="no" OnlyDetect="yes" Property="NEWERVERSION"/>
    </Upgrade>`
}

/** An installed product can be repaired and removed even if the machine has changed. Windows 10 and later report 603. */
function renderConditions(): string {
  const conditions = [
    ['NOT NEWERVERSION', refusals.newer],
    ['ALLUSERS = 1', refusals.user],
    ['VersionNT &gt;= 603', refusals.old],
  ]
  return conditions
    .map(
      ([holds, message = '']) =>
        `    <Condition ${renderAttributes({ Message: message })}>Installed OR ${holds}</Condition>`,
    )
    .join('\n')
}

function renderComponent({ name }: WindowsPackage, id: string, content: string): string {
  return `          <Component ${renderAttributes({ Id: id, Guid: toComponentCode(name, id) })} Win64="yes">${content}</Component>`
}

/** Registers where the texts are, and every type of event. */
function renderEventSource(): string {
  const at = renderAttributes({ Key: eventSourceKey })
  const texts = renderAttributes({ Name: 'EventMessageFile', Type: 'expandable', Value: eventTexts })
  const types = renderAttributes({ Name: 'TypesSupported', Type: 'integer', Value: '7' })
  return `<RegistryValue Id="event_texts" Root="HKLM" ${at} ${texts} KeyPath="yes"/><RegistryValue Id="event_types" Root="HKLM" ${at} ${types}/>`
}

function renderFile({ id, name, shortName }: MsiFile): string {
  return `<File ${renderAttributes({ Id: id, Name: `${shortName}|${name}`, Source: id })} KeyPath="yes" DiskId="1"/>`
}

/** The earlier version is removed last, after every name exists again: no client misses one for longer than a rename. */
function renderActions({ names, name }: WindowsPackage): string {
  const link = `    <CustomAction Id="LinkNames" FileKey="${listMsiFiles({ name, names })[0]!.id}" ExeCommand="--link-names" Execute="deferred" Impersonate="no" Return="ignore"/>\n`
  const hasNames = names.length > 0
  return `    <CustomAction Id="SetLocation" Property="ARPINSTALLLOCATION" Value="[INSTALLDIR]" Impersonate="yes"/>
${hasNames ? link : ''}    <InstallExecuteSequence>
      <Custom Action="SetLocation" After="CostFinalize"/>
${hasNames ? '      <Custom Action="LinkNames" After="InstallFiles">NOT REMOVE</Custom>\n' : ''}      <InstallExecute After="PublishProduct"/>
      <RemoveExistingProducts After="InstallExecute"/>
    </InstallExecuteSequence>`
}

function renderAttributes(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}="${escapeHtml(value)}"`)
    .join(' ')
}
