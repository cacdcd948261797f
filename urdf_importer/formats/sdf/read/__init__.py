# SPDX-License-Identifier: GPL-3.0-or-later
"""SDF, the models of Gazebo, into robots.

XML -> scopes (models in models, included files) -> frames resolved -> tree and loops -> Robot
"""
