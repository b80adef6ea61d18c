import { detectFamilyName, type ProviderAddresses } from './detect-family-name.ts'
import { providerFamilies } from './families.ts'
import type { ProviderFamily } from './family.ts'

/** What is known of the family of a provider. */
export function detectProviderFamily(addresses: ProviderAddresses): ProviderFamily {
  return providerFamilies[detectFamilyName(addresses)]
}
