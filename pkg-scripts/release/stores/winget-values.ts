import { HelperError } from '../../../src/runtime/failure.ts'

/** The content of a manifest: texts, and lists of texts or of further values of this type. */
export interface WingetValue {
  readonly [key: string]: string | readonly (string | WingetValue)[]
}

const length = (least: number, most: number) => new RegExp(`^.{${least},${most}}$`, 'su')
const url = /^https?:\/\/.{1,2039}$/i
const guid = /^\{[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}\}$/

/**
 * The pattern of each key's values, from winget's schemas of version 1.10.0
 * (github.com/microsoft/winget-cli, schemas/JSON/manifests), except the codes, which Windows Installer writes so.
 */
const rules: Readonly<Record<string, RegExp>> = {
  PackageIdentifier: /^(?=.{1,128}$)[^.\s\\/:*?"<>|\p{Cc}]{1,32}(\.[^.\s\\/:*?"<>|\p{Cc}]{1,32}){1,7}$/u,
  PackageVersion: /^[^\\/:*?"<>|\p{Cc}]{1,128}$/u,
  PackageLocale: /^[a-zA-Z]{2,3}(-[a-zA-Z]{1,8})*$/,
  DefaultLocale: /^[a-zA-Z]{2,3}(-[a-zA-Z]{1,8})*$/,
  Publisher: length(2, 256),
  PackageName: length(2, 256),
  PackageUrl: url,
  License: length(3, 512),
  LicenseUrl: url,
  ShortDescription: length(3, 256),
  Moniker: length(1, 40),
  ReleaseNotesUrl: url,
  InstallerType: /^msi$/,
  Scope: /^(user|machine)$/,
  UpgradeBehavior: /^(install|uninstallPrevious|deny)$/,
  Architecture: /^(x86|x64|arm|arm64|neutral)$/,
  InstallerUrl: url,
  InstallerSha256: /^[A-F0-9]{64}$/,
  ProductCode: guid,
  UpgradeCode: guid,
  DisplayName: length(1, 256),
  DisplayVersion: length(1, 128),
  ManifestType: /^(version|installer|defaultLocale)$/,
  ManifestVersion: /^\d+\.\d+\.\d+$/,
}

/** @throws HelperError that names the first value that winget would reject. */
export function refuseInvalid(manifest: string, values: WingetValue): void {
  const texts = Object.entries(values).flatMap(([key, value]) => (typeof value === 'string' ? [{ key, value }] : []))
  const lists = Object.entries(values).flatMap(([key, value]) =>
    typeof value === 'string' ? [] : value.map((item) => ({ key, item })),
  )
  const listed = lists.flatMap(({ key, item }) => (typeof item === 'string' ? [{ key, value: item }] : []))
  for (const { key, value } of [...texts, ...listed]) {
    if (rules[key]?.test(value)) continue
    throw new HelperError(
      'not-configured',
      `winget takes no ${key} such as ${JSON.stringify(value)} (${manifest})`,
      'correct the publisher in the vendor file, the version in package.json or --homepage, whichever it comes from',
    )
  }
  for (const { item } of lists) if (typeof item !== 'string') refuseInvalid(manifest, item)
}
