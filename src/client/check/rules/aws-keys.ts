import { findKeyGateway } from '../../../contract/aws-keys.ts'
import { hasToken } from '../../../contract/clients/client-traits.ts'
import { findKeyMismatch } from '../../doctor/answer/find-key-mismatch.ts'
import { isHealthy } from '../runs/run.ts'
import { defineRules, fail, pass, skip, warn } from './rule.ts'

/** Whether its keys for services of AWS end by themselves, and are for the gateway that gets them. */
export const awsKeyRules = defineRules({
  'long-term-key': {
    isFor: hasToken,
    proves: 'its keys for services of AWS are short-term ones',
    needs: ['headers'],
    scenarios: ['background'],
    validate: (_, { allRuns }) => {
      const tokens = allRuns.filter(isHealthy).map(({ output }) => output.token)
      const key = tokens.find(({ longTermKey }) => longTermKey !== undefined)?.longTermKey
      if (key !== undefined)
        return warn(
          `it prints a long-term ${key}, which works for whoever holds it until somebody deletes it`,
          'print short-term keys: they are made of the credentials of a person or role, and end with them',
        )
      return tokens.some(({ awsKey }) => awsKey) ? pass('short-term keys') : skip('its tokens are not AWS keys')
    },
  },
  'key-gateway': {
    isFor: hasToken,
    proves: 'its AWS keys are for the service and region of the gateway, with the headers that this needs',
    needs: ['headers'],
    scenarios: ['background'],
    validate: (_, { allRuns, gatewayHost }) => {
      if (gatewayHost === undefined) return skip('no gateway is named (see --base-url)')
      const gateway = findKeyGateway(gatewayHost)
      if (!gateway) return skip('the gateway is not one of AWS itself')
      const outputs = allRuns.filter(isHealthy).map(({ output }) => output)
      const keys = outputs.flatMap(({ token, headers }) => (token.awsKey ? [{ key: token.awsKey, headers }] : []))
      if (keys.length === 0) return skip('its tokens are not short-term AWS keys')
      const mismatch = keys.map(({ key, headers }) => findKeyMismatch(key, gateway, headers)).find(Boolean)
      return mismatch ? fail(mismatch.cause, mismatch.hint) : pass(`${gateway.service.name} in ${gateway.region}`)
    },
  },
})
