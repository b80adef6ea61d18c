import { hash } from 'node:crypto'
import { toUuid } from '../../../src/config/render/to-uuid.ts'
import type { WindowsPackage } from './windows-package.ts'

/** The codes by which Windows Installer distinguishes packages. */
export interface MsiCodes {
  /** For one build: every package with other content has another code. */
  readonly productCode: string
  /** For one file among those of the same product code. */
  readonly packageCode: string
  /** For all versions and processors: an upgrade finds the earlier version by it. */
  readonly upgradeCode: string
}

/** Derives the codes of a package from its content, so that the same content gives the same bytes. */
export function toMsiCodes({ executable, notices, ...described }: WindowsPackage): MsiCodes {
  const digests = [executable, notices].map((content) => hash('sha256', content))
  const content = JSON.stringify([described, digests])
  return {
    productCode: toGuid(`product ${content}`),
    packageCode: toGuid(`package ${content}`),
    upgradeCode: toGuid(`upgrade ${described.name}`),
  }
}

/**
 * Derives the code of a component, by which Windows counts its users, from program and file alone, because a component that had another
 * code in the next version would be removed by the upgrade that has just installed it.
 */
export function toComponentCode(program: string, file: string): string {
  return toGuid(`component ${program} ${file}`)
}

function toGuid(text: string): string {
  return toUuid(`gatepass msi ${text}`).toUpperCase()
}
