import {
  isTrusted,
  type Role,
  type RoleCaller,
  renderSessionArn,
  renderUserId,
  type TemporaryKey,
} from './aws-identities.ts'
import { AwsRefusal, type AwsWorld } from './aws-operation.ts'

/** Finds the role, if it exists and trusts the caller: AWS does not say which of the two was wrong. */
export function findTrustingRole(world: AwsWorld, arn: string, caller: RoleCaller): Role | undefined {
  const role = world.identities.findRole(arn)
  return role && isTrusted(role, caller) ? role : undefined
}

/** Returns a role's temporary credentials, as both ways of assuming it answer. @throws {AwsRefusal} for a duration it does not allow */
export function assumeRole(world: AwsWorld, role: Role, sessionName: string, durationSec: number) {
  if (!/^[\w+=,.@-]{2,64}$/.test(sessionName)) {
    throw validationError(
      "1 validation error detected: Value at 'roleSessionName' failed to satisfy constraint: [\\w+=,.@-]{2,64}",
    )
  }
  if (!(durationSec >= 900)) {
    throw validationError(
      "1 validation error detected: Value at 'durationSeconds' failed to satisfy constraint: at least 900",
    )
  }
  if (durationSec > (role.maxDurationSec ?? 3600)) {
    throw validationError('The requested DurationSeconds exceeds the MaxSessionDuration set for this role.')
  }
  const arn = renderSessionArn(role.arn, sessionName)
  const key = world.identities.issueKey(arn, new Date(world.now().getTime() + durationSec * 1000))
  return {
    Credentials: toStsCredentials(key),
    AssumedRoleUser: { AssumedRoleId: renderUserId(arn), Arn: arn },
  }
}

export function validationError(message: string): AwsRefusal {
  return new AwsRefusal('ValidationError', 400, message)
}

function toStsCredentials(key: TemporaryKey) {
  const { accessKeyId, secretAccessKey, sessionToken, expiration } = key
  return {
    AccessKeyId: accessKeyId,
    SecretAccessKey: secretAccessKey,
    SessionToken: sessionToken,
    Expiration: expiration,
  }
}
