import { locateCacheDirectory } from '../../../src/runtime/files/private-files.ts'
import { type StoreManifest, type StoreRelease, toDownloadUrl } from './store-release.ts'

/**
 * At most 80 characters, without an article at its start, a full stop, the cask's name or that of a platform, as `brew audit`
 * wants it.
 */
const caskDescription = 'Checks and converts the configuration of desktop AI clients and tries helpers'

/** Renders the cask of the administrator's command, with the stanzas in the order of `brew style`. It belongs in a tap of your own. */
export function renderCask(release: StoreRelease): StoreManifest {
  const { version, homepage, archives } = release
  // Homebrew inserts version and processor again.
  const url = toDownloadUrl(release, archives.arm.name).replaceAll(version, '#{version}').replace('arm64', '#{arch}')
  const cacheDirectory = locateCacheDirectory({ env: {}, home: '~', platform: 'darwin' })
  const text = `cask "gatepass" do
  arch arm: "arm64", intel: "x64"

  version "${version}"
  sha256 arm:   "${archives.arm.sha256}",
         intel: "${archives.intel.sha256}"

  url "${url}"
  name "Gatepass"
  desc "${caskDescription}"
  homepage "${homepage}"

  depends_on macos: :ventura

  binary "gatepass-#{version}/gatepass"

  zap trash: "${cacheDirectory}"
end
`
  return { name: 'gatepass.rb', text }
}
