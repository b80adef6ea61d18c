import { findKeyGateway } from '../../../contract/aws-keys.ts'
import type { AnyHelper } from '../../../helper/define-helper.ts'

/**
 * What the gateway's host says of a helper that makes AWS keys: for which service they are, and for which region. Nothing
 * that the command line says already.
 */
export function chooseGatewayArguments({ options }: AnyHelper, baseUrl: string, given: readonly string[]): string[] {
  // One that is no URL is reported with whatever else is wrong with the document.
  const gateway = URL.canParse(baseUrl) ? findKeyGateway(new URL(baseUrl).hostname) : undefined
  const { service, region } = options
  if (!gateway || !service || !region) return []
  const wanted = { service: gateway.service.name, region: gateway.region }
  const unsaid = Object.entries(wanted).filter(
    ([name, value]) =>
      options[name]?.default !== value && !given.some((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`)),
  )
  return unsaid.flatMap(([name, value]) => [`--${name}`, value])
}
