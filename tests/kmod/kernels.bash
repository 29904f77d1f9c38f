# SPDX-License-Identifier: GPL-2.0-or-later
#
# kernels.bash - which kernels the module can be built for here. To be sourced.

# The newest release of a series (6.1, 6.12) of which there are headers, of the plain amd64 flavour; or nothing.
newest_release()
{
	find /lib/modules -maxdepth 2 -name build 2>/dev/null | sed -n "s,^/lib/modules/\($1\.[0-9].*-amd64\)/build\$,\1,p" |
		grep -v -e cloud -e -rt- | sort -V | tail -n 1
}
