import { toUuid } from '../../src/config/render/to-uuid.ts'
import type { OriginCheck } from '../executable/origin/origin.ts'
import type { Runtime } from '../executable/runtimes.ts'
import type { Component } from './components.ts'
import type { BasePackage } from './image/base-layer.ts'
import type { VendorPublisher } from './part/packaged-part.ts'
import { listRuntimeParts, renderNodeCpe } from './runtime-parts.ts'

/** A runtime, and the evidence that it is Node's own. */
export interface CheckedRuntime extends Runtime {
  readonly checks: readonly OriginCheck[]
}

/**
 * Renders a CycloneDX 1.6 document of the published files and their publisher: the runtime of every target with its parts, every bundled
 * library, and every Debian package in an image.
 */
export function renderBillOfMaterials(
  { version, time, publisher, contact, helpUrl, licence }: VendorPublisher & { version: string; time: Date },
  components: readonly Component[],
  runtimes: readonly CheckedRuntime[],
  inImages: readonly BasePackage[],
): string {
  const listed = [
    ...runtimes.map(toRuntimeComponent),
    ...components.map((component) => ({
      type: 'library',
      'bom-ref': toPackageUrl(component),
      name: component.name,
      version: component.version,
      licenses: [
        component.licence.includes(' ') ? { expression: component.licence } : { license: { id: component.licence } },
      ],
      purl: toPackageUrl(component),
    })),
    ...inImages.map(toImageComponent),
  ]
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${toUuid(JSON.stringify([version, time, listed]))}`,
    version: 1,
    metadata: {
      timestamp: time.toISOString(),
      component: { type: 'application', name: 'gatepass', version, licenses: [{ expression: licence }] },
      supplier: { name: publisher, url: [helpUrl], contact: [{ email: contact }] },
    },
    components: listed,
  }
  return `${JSON.stringify(document, undefined, 2)}\n`
}

/** Node has a CPE name as well, because vulnerability databases do not know the npm packages that contain it. */
function toRuntimeComponent(runtime: CheckedRuntime) {
  const { packageName, version, integrity, target, checks } = runtime
  const reference = toPackageUrl({ name: packageName, version })
  return {
    type: 'platform',
    'bom-ref': reference,
    name: 'node',
    version,
    description: `the runtime for ${target}`,
    licenses: [{ license: { id: 'MIT' } }],
    cpe: renderNodeCpe(version),
    purl: reference,
    hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') }],
    properties: checks.map(({ evidence, result, says }) => ({
      name: `gatepass:runtime:origin:${evidence}`,
      value: `${result}: ${says}`,
    })),
    components: listRuntimeParts(runtime).map((part) => ({
      type: 'library',
      'bom-ref': `${reference}#${part.name}`,
      name: part.name,
      version: part.version,
      cpe: part.cpe,
    })),
  }
}

/** Describes a package of Debian, with the digest under which it was downloaded. */
function toImageComponent({ name, version, architecture, licence, sha256 }: BasePackage) {
  const reference = `pkg:deb/debian/${name.replaceAll('+', '%2B')}@${version.replaceAll('+', '%2B')}?arch=${architecture}&distro=debian-12`
  return {
    type: 'library',
    'bom-ref': reference,
    name,
    version,
    description: 'in the container image',
    licenses: [licence.includes(' ') ? { expression: licence } : { license: { id: licence } }],
    purl: reference,
    hashes: [{ alg: 'SHA-256', content: sha256 }],
  }
}

function toPackageUrl({ name, version }: Pick<Component, 'name' | 'version'>): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}
