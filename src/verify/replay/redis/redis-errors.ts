/** An error reply: the server has not executed the command. Its text may repeat what was sent, so that only words of it are used. */
export class RedisRefusal extends Error {
  override name = 'RedisRefusal'
}

/** The connection ended: whether the server has executed what it had not answered is not known. */
export class RedisClosed extends Error {
  override name = 'RedisClosed'
}
