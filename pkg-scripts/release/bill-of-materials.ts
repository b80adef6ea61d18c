import { toUuid } from '../../src/config/render/to-uuid.ts'
import type { Runtime } from '../executable/runtimes.ts'
import type { Component } from './components.ts'

/** A CycloneDX 1.6 document of what is published: the runtime of every target, and every library in a bundle. */
export function renderBillOfMaterials(
  { version, time }: { version: string; time: Date },
  components: readonly Component[],
  runtimes: readonly Runtime[],
): string {
  const listed = [
    ...runtimes.map(({ packageName, version: runtimeVersion, integrity, target }) => ({
      type: 'platform',
      'bom-ref': `pkg:npm/${packageName}@${runtimeVersion}`,
      name: 'node',
      version: runtimeVersion,
      description: `the runtime for ${target}`,
      licenses: [{ license: { id: 'MIT' } }],
      purl: `pkg:npm/${packageName}@${runtimeVersion}`,
      hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') }],
    })),
    ...components.map((component) => ({
      type: 'library',
      'bom-ref': packageUrl(component),
      name: component.name,
      version: component.version,
      licenses: [
        component.licence.includes(' ') ? { expression: component.licence } : { license: { id: component.licence } },
      ],
      purl: packageUrl(component),
    })),
  ]
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${toUuid(JSON.stringify([version, time, listed]))}`,
    version: 1,
    metadata: { timestamp: time.toISOString(), component: { type: 'application', name: 'gatepass', version } },
    components: listed,
  }
  return `${JSON.stringify(document, undefined, 2)}\n`
}

function packageUrl({ name, version }: Component): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}
