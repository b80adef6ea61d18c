import type { Runtime } from '../executable/runtimes.ts'
import versions from './runtime-versions.json' with { type: 'json' }

/** Renders the name of a Node release in vulnerability databases (CPE 2.3). */
export function renderNodeCpe(version: string): string {
  return renderCpe('nodejs:node.js', version)
}

/** A library that a Node runtime contains. */
interface RuntimePart {
  readonly name: string
  /** The version as Node reports it; the text after a hyphen is the name of a fork. */
  readonly version: string
  /** Its name in vulnerability databases; `undefined` if they have none. */
  readonly cpe: string | undefined
}

/**
 * Lists the libraries in a pinned runtime. The file contains `process.versions` of each, because a runtime for another platform cannot be
 * run here.
 */
export function listRuntimeParts({ version }: Pick<Runtime, 'version'>): RuntimePart[] {
  const reported = new Map<string, Readonly<Record<string, string>>>(Object.entries(versions)).get(version)
  if (!reported) throw new Error(`runtime-versions.json has no entry for Node ${version}: add its process.versions`)
  return Object.entries(reported)
    .filter(([name, value]) => value !== '' && !notParts.has(name))
    .map(([name, value]) => ({
      name: names[name] ?? name,
      version: value,
      cpe: vendors[name] && renderCpe(vendors[name], value),
    }))
}

/** Members of `process.versions` that are not libraries: the runtime itself, and versions of interfaces and of data formats. */
const notParts: ReadonlySet<string> = new Set(['node', 'modules', 'napi', 'cldr', 'tz', 'unicode'])

/** The usual names of the libraries whose names Node abbreviates. */
const names: Readonly<Record<string, string>> = { ares: 'c-ares', uv: 'libuv' }

/** Vendor and product in the CPE dictionary of the National Vulnerability Database. */
const vendors: Readonly<Record<string, string>> = {
  ares: 'c-ares:c-ares',
  brotli: 'google:brotli',
  icu: 'icu-project:international_components_for_unicode',
  libffi: 'libffi_project:libffi',
  llhttp: 'llhttp:llhttp',
  nghttp2: 'nghttp2:nghttp2',
  openssl: 'openssl:openssl',
  sqlite: 'sqlite:sqlite',
  undici: 'nodejs:undici',
  uv: 'libuv:libuv',
  v8: 'google:v8',
  zlib: 'zlib:zlib',
  zstd: 'facebook:zstandard',
}

/** Databases use the version on which a fork is based. */
function renderCpe(vendor: string, version: string): string {
  return `cpe:2.3:a:${vendor}:${version.replace(/[-+].*/, '')}:*:*:*:*:*:*:*`
}
