"""A file system that shows a directory under another path, until this process is stopped: `mirror.py DIRECTORY MOUNT`."""
import errno
import os
import sys

from fusepy import FUSE, FuseOSError, Operations

STATUS = ('st_atime', 'st_ctime', 'st_gid', 'st_mode', 'st_mtime', 'st_nlink', 'st_size', 'st_uid')


class Mirror(Operations):
    def __init__(self, root):
        self.root = root

    def __call__(self, operation, path, *args):
        try:
            return getattr(self, operation)(self.root + path, *args)
        except OSError as error:
            raise FuseOSError(error.errno) from None

    def getattr(self, path, fh=None):
        status = os.lstat(path)
        return {name: getattr(status, name) for name in STATUS}

    def readdir(self, path, fh):
        return ['.', '..', *os.listdir(path)]

    def open(self, path, flags):
        return os.open(path, flags & ~(os.O_CREAT | os.O_EXCL))

    def create(self, path, mode, fi=None):
        return os.open(path, os.O_RDWR | os.O_CREAT, mode)

    def read(self, path, size, offset, fh):
        return os.pread(fh, size, offset)

    def write(self, path, data, offset, fh):
        return os.pwrite(fh, data, offset)

    def truncate(self, path, length, fh=None):
        os.truncate(path, length)

    # Without this answer the system does not let a process end while it closes a file here.
    def flush(self, path, fh):
        raise FuseOSError(errno.ENOSYS)

    def release(self, path, fh):
        os.close(fh)

    def mkdir(self, path, mode):
        os.mkdir(path, mode)

    def unlink(self, path):
        os.unlink(path)

    def rename(self, old, new):
        os.rename(old, self.root + new)

    def chmod(self, path, mode):
        os.chmod(path, mode)


FUSE(Mirror(sys.argv[1]), sys.argv[2], foreground=True, nothreads=True)
