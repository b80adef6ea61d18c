import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { renderCask } from '../../../../pkg-scripts/release/stores/homebrew.ts'
import type { StoreRelease } from '../../../../pkg-scripts/release/stores/store-release.ts'
import { renderWingetManifests } from '../../../../pkg-scripts/release/stores/winget.ts'
import { refuseInvalid } from '../../../../pkg-scripts/release/stores/winget-values.ts'
import { HelperError } from '../../../../src/runtime/failure.ts'

const homepage = 'https://github.com/example/gatepass'
const downloads = `${homepage}/releases/download/v1.2.3`
const guid = (digit: string) => `{${digit.repeat(8)}-0000-0000-0000-000000000000}`
const installer = (target: string, digit: string) => ({
  name: `gatepass-1.2.3-${target}.msi`,
  sha256: digit.repeat(64),
  displayName: 'Gatepass command',
  publisher: 'Example Desktop, Inc.',
  productCode: guid(digit.toUpperCase()),
  upgradeCode: guid('F'),
})
const release: StoreRelease = {
  version: '1.2.3',
  homepage,
  licence: 'LicenseRef-Desktop',
  archives: {
    arm: { name: 'gatepass-1.2.3-darwin-arm64.tar.xz', sha256: '1'.repeat(64) },
    intel: { name: 'gatepass-1.2.3-darwin-x64.tar.xz', sha256: '2'.repeat(64) },
  },
  installers: { x64: installer('win32-x64', 'a'), arm64: installer('win32-arm64', 'b') },
}

test('the cask has one address for both processors, and installs the command from the archive', () => {
  expect(renderCask(release)).toEqual({
    name: 'gatepass.rb',
    text: `cask "gatepass" do
  arch arm: "arm64", intel: "x64"

  version "1.2.3"
  sha256 arm:   "${'1'.repeat(64)}",
         intel: "${'2'.repeat(64)}"

  url "${homepage}/releases/download/v#{version}/gatepass-#{version}-darwin-#{arch}.tar.xz"
  name "Gatepass"
  desc "Checks and converts the configuration of desktop AI clients and tries helpers"
  homepage "${homepage}"

  depends_on macos: :ventura

  binary "gatepass-#{version}/gatepass"

  zap trash: "~/Library/Caches/Gatepass"
end
`,
  })
})

test('the description of the cask is one that Homebrew takes', () => {
  const description = /^ {2}desc "(.*)"$/m.exec(String(renderCask(release).text))?.[1] ?? ''
  expect({
    isShort: description.length <= 80,
    hasForm: /^(?!An? |The |gatepass)[A-Z].*[^.]$/i.test(description),
    refused: description.match(/\b(mac|macos|os x|cask)\b/gi),
  }).toEqual({ isShort: true, hasForm: true, refused: null })
})

test('winget gets the codes and digests of both packages, as its schema wants them', () => {
  const describe = (target: string, digit: string) => ({
    InstallerUrl: `${downloads}/gatepass-1.2.3-${target}.msi`,
    InstallerSha256: digit.repeat(64),
    ProductCode: guid(digit),
    AppsAndFeaturesEntries: [
      {
        DisplayName: 'Gatepass command',
        Publisher: 'Example Desktop, Inc.',
        DisplayVersion: '1.2.3',
        ProductCode: guid(digit),
        UpgradeCode: guid('F'),
      },
    ],
  })
  const common = { PackageIdentifier: 'ExampleDesktopInc.Gatepass', PackageVersion: '1.2.3', ManifestVersion: '1.10.0' }
  const manifests = renderWingetManifests(release)
  expect(Object.fromEntries(manifests.map(({ name, text }) => [name, parse(text)]))).toEqual({
    'ExampleDesktopInc.Gatepass.yaml': { ...common, DefaultLocale: 'en-US', ManifestType: 'version' },
    'ExampleDesktopInc.Gatepass.installer.yaml': {
      ...common,
      InstallerType: 'msi',
      Scope: 'machine',
      UpgradeBehavior: 'install',
      Installers: [
        { Architecture: 'x64', ...describe('win32-x64', 'A') },
        { Architecture: 'arm64', ...describe('win32-arm64', 'B') },
      ],
      ManifestType: 'installer',
    },
    'ExampleDesktopInc.Gatepass.locale.en-US.yaml': {
      ...common,
      PackageLocale: 'en-US',
      Publisher: 'Example Desktop, Inc.',
      PackageName: 'Gatepass',
      PackageUrl: homepage,
      License: 'LicenseRef-Desktop',
      LicenseUrl: `${homepage}/blob/v1.2.3/LICENSE`,
      ShortDescription:
        "Credential helpers for desktop AI clients that talk to an organization's own inference gateway",
      Moniker: 'gatepass',
      ReleaseNotesUrl: `${homepage}/releases/tag/v1.2.3`,
      ManifestType: 'defaultLocale',
    },
  })
  expect(manifests[0]!.text).toBe(
    [
      '# yaml-language-server: $schema=https://aka.ms/winget-manifest.version.1.10.0.schema.json',
      '',
      'PackageIdentifier: "ExampleDesktopInc.Gatepass"',
      'PackageVersion: "1.2.3"',
      'DefaultLocale: "en-US"',
      'ManifestType: "version"',
      'ManifestVersion: "1.10.0"',
      '',
    ].join('\n'),
  )
})

test.each([
  ['PackageIdentifier', 'Gatepass'],
  ['PackageIdentifier', '.Gatepass'],
  ['PackageVersion', '1/2'],
  ['InstallerSha256', 'a'.repeat(64)],
  ['ProductCode', 'none'],
  ['LicenseUrl', 'ftp://example.com'],
  ['Unknown', 'x'],
])('winget takes no %s such as %s', (key, value) => {
  const hint =
    'correct the publisher in the vendor file, the version in package.json or --homepage, whichever it comes from'
  const expected = new HelperError('not-configured', `winget takes no ${key} such as "${value}" (made up)`, hint)
  expect(() => refuseInvalid('made up', { Installers: [{ [key]: value }] })).toThrow(expected)
})
