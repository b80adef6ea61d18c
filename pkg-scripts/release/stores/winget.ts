import manifest from '../../../package.json' with { type: 'json' }
import { type StoreManifest, type StoreRelease, toDownloadUrl } from './store-release.ts'
import { refuseInvalid, type WingetValue } from './winget-values.ts'

/**
 * Renders the three manifests of the administrator's command for winget's repository.
 * @throws HelperError if winget would reject them.
 */
export function renderWingetManifests(release: StoreRelease): StoreManifest[] {
  const { publisher } = release.installers.x64
  const identifier = `${publisher.replaceAll(/[^\p{L}\p{N}]/gu, '').slice(0, 32)}.Gatepass`
  const common = { PackageIdentifier: identifier, PackageVersion: release.version }
  return [
    { name: identifier, type: 'version', values: { ...common, DefaultLocale: 'en-US' } },
    { name: `${identifier}.installer`, type: 'installer', values: { ...common, ...createInstallers(release) } },
    { name: `${identifier}.locale.en-US`, type: 'defaultLocale', values: { ...common, ...createLocale(release) } },
  ].map(({ name, type, values }) => render(name, type, values))
}

function createInstallers(release: StoreRelease): WingetValue {
  const { installers } = release
  return {
    InstallerType: 'msi',
    Scope: 'machine',
    UpgradeBehavior: 'install',
    Installers: Object.entries(installers).map(([architecture, installer]) => ({
      Architecture: architecture,
      InstallerUrl: toDownloadUrl(release, installer.name),
      InstallerSha256: installer.sha256.toUpperCase(),
      ProductCode: installer.productCode,
      AppsAndFeaturesEntries: [
        {
          DisplayName: installer.displayName,
          Publisher: installer.publisher,
          DisplayVersion: release.version,
          ProductCode: installer.productCode,
          UpgradeCode: installer.upgradeCode,
        },
      ],
    })),
  }
}

function createLocale({ homepage, version, licence, installers }: StoreRelease): WingetValue {
  return {
    PackageLocale: 'en-US',
    Publisher: installers.x64.publisher,
    PackageName: 'Gatepass',
    PackageUrl: homepage,
    License: licence,
    LicenseUrl: `${homepage}/blob/v${version}/LICENSE`,
    ShortDescription: manifest.description,
    Moniker: 'gatepass',
    ReleaseNotesUrl: `${homepage}/releases/tag/v${version}`,
  }
}

/** Renders YAML with every text in quotes, so that none is read as a number. */
function render(name: string, type: string, values: WingetValue): StoreManifest {
  const whole = { ...values, ManifestType: type, ManifestVersion: schemaVersion }
  refuseInvalid(name, whole)
  const schema = `https://aka.ms/winget-manifest.${type.toLowerCase()}.${schemaVersion}.schema.json`
  return { name: `${name}.yaml`, text: `# yaml-language-server: $schema=${schema}\n\n${renderYaml(whole, '')}` }
}

/** The version of the schema that the manifests follow. */
const schemaVersion = '1.10.0'

function renderYaml(values: WingetValue, indent: string): string {
  return Object.entries(values)
    .map(([key, value]) => {
      if (typeof value === 'string') return `${indent}${key}: ${JSON.stringify(value)}\n`
      return `${indent}${key}:\n${value.map((item) => renderItem(item, indent)).join('')}`
    })
    .join('')
}

function renderItem(item: string | WingetValue, indent: string): string {
  if (typeof item === 'string') return `${indent}- ${JSON.stringify(item)}\n`
  return renderYaml(item, `${indent}  `).replace(`${indent}  `, `${indent}- `)
}
