import { expect, test } from 'vitest'
import { toMsiCodes } from '../../../../pkg-scripts/release/windows/msi-codes.ts'
import { renderQueries } from '../../../../pkg-scripts/release/windows/msi-tables.ts'
import { renderWixSource } from '../../../../pkg-scripts/release/windows/render-wix-source.ts'
import { testPackage } from './test-package.ts'

const renderFor = (names: string[]) => {
  const from = { ...testPackage, names }
  return `${renderWixSource(from, toMsiCodes(from))}\n${renderQueries(from).join('\n')}`
}

const eventSourceKey = 'SYSTEM\\CurrentControlSet\\Services\\EventLog\\Application\\gatepass'

test('helpers register the source of their events, with a value that Windows expands', () => {
  const text = renderFor(['oidc-token.exe'])
  const about = text
    .split('\n')
    .filter((line) => /event_(source|texts|types)|EventMessageFile|TypesSupported/.test(line))
  expect(about.map((line) => line.trim().replace(/Guid="[^"]+"/, 'Guid="GUID"'))).toEqual([
    `<Component Id="event_source" Guid="GUID" Win64="yes"><RegistryValue Id="event_texts" Root="HKLM" Key="${eventSourceKey}" Name="EventMessageFile" Type="expandable" Value="%SystemRoot%\\System32\\EventCreate.exe" KeyPath="yes"/><RegistryValue Id="event_types" Root="HKLM" Key="${eventSourceKey}" Name="TypesSupported" Type="integer" Value="7"/></Component>`,
    '<ComponentRef Id="event_source"/>',
    "UPDATE `Registry` SET `Value`='#%%SystemRoot%\\System32\\EventCreate.exe' WHERE `Registry`='event_texts'",
  ])
})

test('the command registers none, because removing it would take away that of the helpers', () => {
  expect(renderFor([]).match(/event_(source|types)|EventLog/g)).toBe(null)
})
